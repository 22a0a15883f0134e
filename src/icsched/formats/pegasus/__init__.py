"""Workflows of Pegasus 5, which are YAML."""
