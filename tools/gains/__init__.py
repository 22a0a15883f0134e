"""What orders gain on real workflows and on known dags, over many pools: docs/gains.md."""
