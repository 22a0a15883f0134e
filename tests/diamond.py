"""The smallest dag with two paths, which many tests ask."""

from icsched import Dag


def diamond() -> Dag:
    r"""
      a
     / \
    b   c
     \ /
      d
    """
    return Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
