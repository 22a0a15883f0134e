"""A crew in memory, whose attempts end as a test says."""

from collections.abc import Callable, Sequence

from icsched.run.crew import Attempt, Outcome

End = Callable[[Attempt], Outcome | None]  # None: it goes on until it is stopped


def succeeds(attempt: Attempt) -> Outcome:
    return Outcome(attempt.number, 1.0)


def fails(attempt: Attempt) -> Outcome:
    return Outcome(attempt.number, 1.0, "exit code 1")


def dies(attempt: Attempt) -> Outcome:
    return Outcome(attempt.number, 1.0, "its worker died", is_lost=True)


def hangs(_attempt: Attempt) -> None:
    return None


class MemoryCrew:
    """Ends one attempt at a time, the oldest first. `ends` has what comes of a task's attempts."""

    def __init__(self, size: int, **ends: Sequence[End]) -> None:
        self.size = self.workers = size
        self._ends = {name: list(several) for name, several in ends.items()}
        self._running: list[tuple[Attempt, Outcome | None]] = []
        self.started: list[str] = []
        self.stopped: list[int] = []
        self.given_up: list[int] = []
        self.most = 0

    def start(self, attempt: Attempt, /) -> None:
        ends = self._ends.get(attempt.name)
        end = ends.pop(0) if ends else succeeds
        self._running.append((attempt, end(attempt)))
        self.started.append(attempt.name)
        self.most = max(self.most, len(self._running))

    def ended(self, _timeout: float | None, /) -> list[Outcome]:
        for pair in self._running:
            if pair[1] is not None:
                self._running.remove(pair)
                return [pair[1]]
        return []

    def stop(self, number: int, /) -> None:
        self.stopped.append(number)
        for at, (attempt, end) in enumerate(self._running):
            if attempt.number == number and end is None:
                lost = Outcome(number, 1.0, "stopped", is_lost=True)
                self._running[at] = (attempt, lost)

    def give_up(self, number: int, /) -> None:
        self.given_up.append(number)
        for at, (attempt, _) in enumerate(self._running):
            if attempt.number == number:
                late = Outcome(
                    number, 1.0, f"stopped at its time limit of {attempt.time_limit:g} s"
                )
                self._running[at] = (attempt, late)
