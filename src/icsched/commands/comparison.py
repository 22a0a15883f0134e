"""Orders side by side, as data and in words."""

from collections.abc import Mapping

from icsched.commands.terminal import listing
from icsched.messages import counted
from icsched.orders import Choice, Plan
from icsched.orders.definition import FIFO, NEW, PRESENT, WORTH
from icsched.pebble import Comparison
from icsched.sim import Times
from icsched.sim.race import Interval


def contest_of(plan: Plan) -> Comparison:
    """Return how a plan compares with first come, first served."""
    return Comparison.of(plan.schedule.eligible, plan.fifo.eligible)


def variation(times: Times) -> str:
    """Say how much run times vary around their means.

    >>> variation(Times(spread=0.25)), variation(Times("constant"))
    ('run times vary by 25%', 'run times do not vary')
    """
    if times.law == "constant":
        return "run times do not vary"
    return f"run times vary by {100 * times.spread:.3g}%"


PEER = "first come, first served"


def lead_sentence(plan: Plan) -> str:
    """Say how the order compares with first come, first served."""
    contest = contest_of(plan)
    (ahead, lead), (behind, lag) = contest.largest_lead, contest.largest_lag
    if lead == lag == 0:
        return f"It has as many eligible as {PEER} at every step."
    average = f"{contest.area_ratio:.2f} times as many on average."
    best = f"At best: {_at(plan, ahead)}\n" if lead > 0 else ""
    if lag == 0:
        return f"{best}It is never behind, with {average}"
    return f"{best}At worst: {_at(plan, behind)}\nIt has {average}"


def _at(plan: Plan, step: int) -> str:
    ours, fifo = int(plan.schedule.eligible[step]), int(plan.fifo.eligible[step])
    difference = f"{abs(ours - fifo):,} {'more' if ours > fifo else 'fewer'}"
    has = f"after {counted(step, 'job')} it has {counted(ours, 'eligible job')}"
    return f"{has}, {difference} than {PEER}."


IN_FILE, OWN = "the priorities in the file", "your own priorities"
_LABELS = {FIFO: PEER, PRESENT: "what the file has", NEW: "the order chosen now"}
# Measured by `make gains`; docs/gains.md has the tables.
UNTIMED = (
    "Run times are not known: each kind of job got a mean time at random, so the interval is wide."
    "\n--run-times FILE gives run times; icsched learn makes"
    " that file from logs. In simulations, 22 real workflows ended 6.6% earlier on average with run"
    " times, 1.5% without."
)
ALL_ZERO = (
    "All run times are 0, as if run times were not known: each kind of job got a mean time at"
    " random, so the interval is wide."
)


def choice_text(
    choice: Choice,
    without_section: Choice | None,
    *,
    has_section: bool = False,
    cautions: str = "",
) -> str:
    """Say what was chosen, what it gains, and what it was compared with.

    *choice* decides. *without_section* is what was chosen as if there were no section; it is None
    if there is no section, or if it has the chosen order. *has_section* says whether there is one.
    *cautions* are lines that follow the gain.
    """
    if without_section is not None:
        further = f"Without icsched's section: {_verdict(without_section, OWN)}\n"
        new = OWN if without_section.chosen == PRESENT else _LABELS[NEW]
        table = _table(choice, IN_FILE, new=new)
        return f"{_verdict(choice, IN_FILE)}\n{cautions}{table}{further}"
    priorities = f"{OWN}, without icsched's section" if has_section else IN_FILE
    ends = ends_text(choice.ends, choice.present, choice.best, f"with {label(choice.best)}")
    return f"{_verdict(choice, priorities)}\n{ends}{cautions}{_table(choice, priorities)}"


def ends_text(ends: Mapping[str, Interval], now: str, then: str, when: str) -> str:
    r"""Say when a single run ends *now* and *then*, in seconds; "" if nobody knows.

    *when* is what *then* means.

    >>> ends_text({"fifo": Interval(115.2, 104.0, 127.4)}, "fifo", "fifo", "")
    'A run should take 115 s (95% of runs: 104 to 127 s) as it is.\n'
    """
    if now not in ends:
        return ""
    text = f"A run should take {_end(ends[now])} as it is"
    if then != now and then in ends:
        text += f", and {_end(ends[then])} {when}"
    return f"{text}.\n"


def _end(end: Interval) -> str:
    mean, low, high = (f"{float(f'{time:.3g}'):,g}" for time in (end.mean, end.low, end.high))
    return f"{mean} s (95% of runs: {low} to {high} s)"


def label(name: str, priorities: str = IN_FILE) -> str:
    """Return what reports call the order *name*; *priorities* are what PRESENT stands for."""
    return OWN if name == PRESENT and priorities != IN_FILE else _LABELS.get(name, name)


def _present(choice: Choice, priorities: str) -> str:
    return PEER if choice.present == FIFO else priorities


def _verdict(choice: Choice, priorities: str) -> str:
    if not choice.is_worth_it:
        return f"not worth it: {reason(choice)}."
    assumed = "" if choice.is_timed else "with run times drawn at random, "
    gain = f"{assumed}the run should end {earlier(choice.ratio)} {_where(choice)}"
    best = "another order" if choice.best == NEW else choice.best
    return f"auto chose {best}: {gain} than with {_present(choice, priorities)}."


def reason(choice: Choice) -> str:
    """Say why the best order is not worth writing."""
    where, ratio = _where(choice).removesuffix(","), choice.ratio
    if choice.best == choice.present:
        return f"no other order found is better {where}"
    if ratio.mean <= WORTH:
        found = f"the run with the best order found should end {earlier(ratio)} {where}"
        return f"{found}, but that may be chance"
    if ratio.mean > 2 - WORTH:
        return f"the run with {label(choice.best)} should end {earlier(ratio)} {where}"
    return f"the best order found gains less than 1% {where} ({_gain(ratio)})"


def _gain(ratio: Interval) -> str:
    """Return the share of the time that is saved, with the interval.

    >>> _gain(Interval(0.995, 0.991, 1.001)), _gain(Interval(1.0001, 1.0, 1.0002))
    ('0.5% [-0.1%, 0.9%]', '0.0% [0.0%, 0.0%]')
    """
    mean, low, high = (round(1 - time, 3) + 0.0 for time in (ratio.mean, ratio.high, ratio.low))
    return f"{mean:.1%} [{low:.1%}, {high:.1%}]"


def _where(choice: Choice) -> str:
    if choice.is_own_pool:
        return "on your pool"
    return f"on {counted(len(choice.pools), 'usual pool')}, on average,"


def earlier(ratio: Interval) -> str:
    """Return how much earlier a run ends, with the interval.

    >>> earlier(Interval(0.916, 0.912, 0.921)), earlier(Interval(1.002, 0.999, 1.005))
    ('8.4% [7.9%, 8.8%] earlier', '0.2% [-0.1%, 0.5%] later')
    """
    if ratio.mean <= 1:
        mean, low, high = 1 - ratio.mean, 1 - ratio.high, 1 - ratio.low
        return f"{mean:.1%} [{low:.1%}, {high:.1%}] earlier"
    return f"{ratio.mean - 1:.1%} [{ratio.low - 1:.1%}, {ratio.high - 1:.1%}] later"


def _table(choice: Choice, priorities: str, *, new: str = _LABELS[NEW]) -> str:
    """Return the orders that were compared: the best as checked, others as the race saw them.

    *new* is what the order NEW is called.
    """
    how = f"{counted(choice.runs, 'run')}, seed {choice.seed}, {variation(Times())}"
    over = f"time of the run over that of {_present(choice, priorities)}, with 95% intervals"
    head = f"Simulated ({how}), {over}:"
    labels = [new if name == NEW else label(name, priorities) for name in choice.ratios]
    rows = [(told, _time(choice, name)) for told, name in zip(labels, choice.ratios, strict=True)]
    return f"{head}\n{listing(rows, indent='  ')}"


def _time(choice: Choice, name: str) -> str:
    """Return the time with an order over the present one's.

    The race is short, and the best of several is partly lucky. So the best order was checked in
    further runs.
    """
    if name == choice.present:
        return "1.000"
    if name == choice.best:
        return f"{_interval(choice.ratio)} (checked in further runs)"
    if name in choice.intervals:
        return _interval(choice.intervals[name])
    return f"{choice.ratios[name]:.3f} (one run: no interval)"


def _interval(ratio: Interval) -> str:
    return f"{ratio.mean:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
