"""Other schedulers: what they would do, one module each, imported only when asked for."""
