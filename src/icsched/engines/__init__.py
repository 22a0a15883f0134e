"""Other programs that order and run tasks; each has one module and is an optional extra."""
