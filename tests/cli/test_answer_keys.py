"""The JSON of an answer comes from the fields of its dataclass."""

from dataclasses import dataclass, field

import numpy as np

from icsched.frames import INLINE, NOT_IN_JSON, json_by, keys_of


@dataclass(frozen=True)
class Part:
    first: int
    hidden: str = field(default="", metadata=NOT_IN_JSON)


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    counts: np.ndarray
    words: str = field(metadata=json_by(str.split))
    inside: Part = field(metadata=INLINE)
    missing: Part | None = None
    secret: int = field(default=7, metadata=NOT_IN_JSON)


def test_fields_become_keys_in_their_order_and_metadata_changes_what_they_hold():
    whole = Whole((Part(1, "x"), Part(2)), np.array([3, 4]), "a b", Part(5))

    assert list(keys_of(whole).items()) == [
        ("parts", [{"first": 1}, {"first": 2}]),
        ("counts", [3, 4]),
        ("words", ["a", "b"]),
        ("first", 5),
        ("missing", None),
    ]
