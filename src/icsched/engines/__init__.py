"""Other programs that order and run tasks, one module each, each an optional extra."""
