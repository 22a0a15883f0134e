"""The standard streams by name; the command line puts these names in the place of a hyphen."""

STANDARD_INPUT, STANDARD_OUTPUT = "/dev/stdin", "/dev/stdout"
