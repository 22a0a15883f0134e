"""The greedy order of the superdag with its limits: a plain Python twin, slow and short.

While few profiles are active, this is step 6 of Malewicz et al. 2007 (`paper.next_block`). A
profile is active while a block with this profile can run. With more than *most_rivals* active
profiles, only the oldest of them are rivals, and only rivals are compared with. A profile's floor
is its least priority over the rivals at which it looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from icsched import Dag, _native

FEW_RIVALS = 4  # are looked at once the looks are spent
LOOKS_OF_A_MEASUREMENT = 128


@cache
def priority(first: tuple[int, ...], second: tuple[int, ...]) -> Fraction:
    """The priority of *first* over *second*, by the kernel, whose twin is `paper.priority`."""
    return Fraction(*_native.priority(np.array(first, np.int64), np.array(second, np.int64)))


class Arena:
    """The blocks that can run, by profile."""

    def __init__(self, profiles: Sequence[tuple[int, ...]], most_rivals: int, looks: int) -> None:
        self.profiles = profiles
        self.most_rivals = most_rivals
        self.looks = looks
        self.members: dict[int, list[tuple[int, int]]] = {}  # oldest profile first: key, block
        self.floors: dict[int, tuple[Fraction, int | None]] = {}  # ratio, and over which profile
        self.slots: dict[int, int] = {}  # one for each rival
        self.free_slots = list(range(most_rivals))[::-1]
        self.seen: dict[tuple[int, int], int] = {}  # by profile and slot: the rival measured last

    def add(self, profile: int, key: int, block: int) -> None:
        """A block can run."""
        is_new = profile not in self.members
        self.members.setdefault(profile, []).append((key, block))
        if is_new:
            self.floors[profile] = Fraction(1), None
            for new in self.admitted():
                self.lower_rivals(new)
        if len(self.members[profile]) <= 2:
            self.refresh(profile)

    def take(self) -> int:
        """Take out the block of largest floor; of several, the one with the smallest key."""
        best = min(self.members, key=lambda p: (-self.floors[p][0], min(self.members[p])))
        member = min(self.members[best])
        self.members[best].remove(member)
        if not self.members[best]:
            self.retire(best)
        elif len(self.members[best]) == 1:
            self.refresh(best)
        return member[1]

    @property
    def rivals(self) -> list[int]:
        """The oldest active profiles."""
        return list(self.members)[: self.most_rivals]

    def admitted(self) -> list[int]:
        """The new rival, if there is one; it has got a slot."""
        new = [rival for rival in self.rivals if rival not in self.slots]
        for rival in new:
            self.slots[rival] = self.free_slots.pop()
        return new

    def lower_rivals(self, new: int) -> None:
        """All rivals look at the new one."""
        for rival in self.rivals:
            self.lower(rival, new)

    def retire(self, profile: int) -> None:
        """No block of *profile* can run any more; another profile may become a rival.

        The rivals and the new one look at each other. Those whose floor was *profile* look again.
        """
        was_rival = profile in self.rivals
        del self.members[profile], self.floors[profile]
        if not was_rival:
            return
        self.free_slots.append(self.slots.pop(profile))
        for new in self.admitted():
            if self.looks > 0:
                self.lower_rivals(new)
                self.refresh(new)
        if self.looks > 0:
            for other in [p for p, (_, by) in self.floors.items() if by == profile]:
                self.refresh(other)

    def over(self, profile: int, rival: int) -> Fraction:
        """The priority over a rival, which is a look, and more the first time."""
        place = profile, self.slots[rival]
        self.looks -= 1 if self.seen.get(place) == rival else 1 + LOOKS_OF_A_MEASUREMENT
        self.seen[place] = rival
        return priority(self.profiles[profile], self.profiles[rival])

    def lower(self, profile: int, rival: int) -> None:
        """Look at one rival."""
        if profile != rival:
            least, by = self.floors[profile]
            ratio = self.over(profile, rival)
            if by is None or ratio < least:
                self.floors[profile] = ratio, rival

    def refresh(self, profile: int) -> None:
        """Look at all rivals, and at a second block of the same profile."""
        rivals = self.rivals if self.looks > 0 else self.rivals[:FEW_RIVALS]
        found: list[tuple[Fraction, int | None]] = [
            (self.over(profile, rival), rival) for rival in rivals if rival != profile
        ]
        if len(self.members[profile]) > 1:
            found.append((priority(self.profiles[profile], self.profiles[profile]), profile))
        self.floors[profile] = min(found, key=lambda one: one[0], default=(Fraction(1), None))


def superdag_order(
    superdag: Dag,
    profile_of: Sequence[int],
    keys: Sequence[int],
    profiles: Sequence[tuple[int, ...]],
    *,
    most_rivals: int,
    all_looks: int,
) -> list[int]:
    """The blocks in the order in which they run."""
    arena = Arena(profiles, most_rivals, all_looks)
    missing = superdag.in_degrees.tolist()
    for block in superdag.sources.tolist():
        arena.add(profile_of[block], keys[block], block)
    order: list[int] = []
    while arena.members:
        order.append(arena.take())
        for child in superdag.children(order[-1]).tolist():
            missing[child] -= 1
            if not missing[child]:
                arena.add(profile_of[child], keys[child], child)
    return order
