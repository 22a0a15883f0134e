"""What `icsched --version` says."""

import icsched


def version_line() -> str:
    """Return the name and the version of the package."""
    return f"icsched {icsched.__version__}"
