"""What `icsched --version` says."""


def version_line() -> str:
    """Return the name and the version of the package."""
    from importlib.metadata import version  # slow to import, rarely needed

    return f"icsched {version('icsched')}"
