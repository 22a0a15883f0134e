"""What "auto" chose, in words."""

from icsched.orders import Choice
from icsched.orders.auto import SPREAD
from icsched.orders.choice import FIFO, NEW, PRESENT
from icsched.render.compared import PEER
from icsched.render.layout import listing
from icsched.render.words import counted
from icsched.sim.race import Interval

_PRESENT = {FIFO: PEER, PRESENT: "the priorities in the file"}
_LABELS = {FIFO: PEER, PRESENT: "what the file has", NEW: "the order chosen now"}
# Measured by `make gains`; docs/gains.md has the tables.
UNTIMED = (
    "Run times are not known: each job counts as 1. --run-times FILE gives them; icsched learn"
    " makes that file from logs.\nThat usually gains more: 22 real workflows ended 6.6% earlier on"
    " average, and 1.5% without run times."
)
ALL_ZERO = "All run times are 0: each job counts as 1, as if run times were not known."
SMALL_AREA, LARGE_AREA = 1.3, 1.6  # over the area of first come, first served


def choice_text(choice: Choice, without_section: Choice | None) -> str:
    """Say what was chosen, what it gains, and what it was compared with.

    *choice* decides. *without_section* is what was chosen as if there were no section; it is None
    if there is no section, or if it has the chosen order.
    """
    if without_section is None:
        return f"{_verdict(choice)}\n{_table(choice)}"
    further = f"Without icsched's section: {_verdict(without_section)}\n"
    return f"{_verdict(choice)}\n{_table(choice)}{further}"


def label(name: str) -> str:
    """Return what reports call the order *name*."""
    return _LABELS.get(name, name)


def _verdict(choice: Choice) -> str:
    if not choice.is_worth_it:
        return f"not worth it: {reason(choice)}."
    gain = f"{_where(choice)} the run should end {_earlier(choice.ratio)} than with"
    return f"auto chose {_best(choice)}: {gain} {_PRESENT[choice.present]}."


def _best(choice: Choice) -> str:
    return "another order" if choice.best == NEW else choice.best


def reason(choice: Choice) -> str:
    """Say why the best order is not worth writing."""
    where, present = _where(choice), _PRESENT[choice.present]
    if choice.best == choice.present:
        return f"{where} no other order is better than {present}"
    if _earlier(choice.ratio) == _earlier(Interval(1.0, 1.0, 1.0)):
        return f"{where} {label(choice.best)} has no gain over {present}"
    ends = f"{where} the run with {label(choice.best)} should end {_earlier(choice.ratio)}"
    ends = f"{ends} than with {present}"
    if choice.ratio.mean <= 0.99:
        return f"{ends}, and that may be chance; a larger --budget tells more"
    return f"{ends}, that is within 1%"


def _where(choice: Choice) -> str:
    if choice.is_own_pool:
        return "on your pool"
    return f"on {counted(len(choice.pools), 'usual pool')}, on average,"


def _earlier(ratio: Interval) -> str:
    """Return how much earlier a run ends, with the interval.

    >>> _earlier(Interval(0.916, 0.912, 0.921)), _earlier(Interval(1.002, 0.999, 1.005))
    ('8.4% [7.9%, 8.8%] earlier', '0.2% [-0.1%, 0.5%] later')
    """
    if ratio.mean <= 1:
        mean, low, high = 1 - ratio.mean, 1 - ratio.high, 1 - ratio.low
        return f"{mean:.1%} [{low:.1%}, {high:.1%}] earlier"
    return f"{ratio.mean - 1:.1%} [{ratio.low - 1:.1%}, {ratio.high - 1:.1%}] later"


def _table(choice: Choice) -> str:
    """Return the orders that were compared: the best as checked, others as the race saw them."""
    how = f"{counted(choice.runs, 'run')}, seed {choice.seed}, times vary by {SPREAD:.0%}"
    head = f"Simulated ({how}), time of the run:"
    rows = [(label(name), _time(choice, name)) for name in choice.ratios]
    return "".join([f"{head}\n", listing(rows, indent="  "), *_excess(choice)])


def _excess(choice: Choice) -> list[str]:
    """Say that the budget was too small, if it was."""
    if not choice.exceeds_budget:
        return []
    used, asked = _seconds(choice.budget_used), f"{choice.budget:g} s"
    told = f"The fewest runs that tell anything took {used} of simulation"
    return [f"{told}; the budget was {asked}.\n"]


def _seconds(value: float) -> str:
    """Return seconds in two digits, or all whole ones.

    >>> _seconds(0.0123), _seconds(2.04), _seconds(123.4)
    ('0.012 s', '2 s', '123 s')
    """
    return f"{value:.0f} s" if value >= 99.5 else f"{value:.2g} s"


def _time(choice: Choice, name: str) -> str:
    """Return the time with an order over the present one's.

    The race is short, and the best of several is partly lucky. So only the best order's time, which
    was checked in further runs, has three digits.
    """
    if name == choice.present:
        return "1"
    if name == choice.best:
        return f"{choice.ratio.mean:.3f}, checked in further runs"
    return f"{choice.ratios[name]:.2f} in the race"


def expectation(area_ratio: float) -> str:
    """Say what the eligible jobs of an order promise if nobody knows run times."""
    return f"Without run times, real workflows on average gain {_gain(area_ratio)} by that."


def _gain(area_ratio: float) -> str:
    """Return what orders of such an area gain, by the two measurements in docs/order.md.

    >>> _gain(1.1), _gain(1.3), _gain(1.62)
    ('nothing or 1%', '1% to 3%', '4% to 9%')
    """
    if area_ratio < SMALL_AREA:
        return "nothing or 1%"
    return "1% to 3%" if area_ratio <= LARGE_AREA else "4% to 9%"
