"""The command line: one file per command, `main` dispatches."""
