"""One hypothesis profile for all: the same examples every time, however slow the machine."""

from hypothesis import settings

settings.register_profile("icsched", deadline=None, derandomize=True)
settings.load_profile("icsched")
