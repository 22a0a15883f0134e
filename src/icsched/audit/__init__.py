"""A checker of certificates that shares no code with what makes them.

It imports numpy, the standard library and `icsched.errors`, and nothing else. The rules that it
knows are proved in `docs/certificates.md`.
"""

from icsched.audit.check import Audited, audit, fingerprint

__all__ = ["Audited", "audit", "fingerprint"]
