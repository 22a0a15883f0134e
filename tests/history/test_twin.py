"""The reader and its plain twin agree on any log, cut anywhere, with anything lost in between."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from icsched.errors import FormatError
from icsched.history import Ending, parsed_run, read_run_times
from tests.history import lines
from tests.history.twin import twin_attempts, twin_cores

# Few jobs in little time, so that their events meet.
MOMENTS = st.integers(0, 30).map(lambda second: f"12:00:{second:02}")
JOBS = st.sampled_from(["1", "2.1"])
ROWS = st.sampled_from([lines.held(8, 1), lines.held(4), lines.table("Cpus : 3 4")])
EVENTS = st.one_of(
    st.builds(lines.submit, JOBS, MOMENTS, st.sampled_from(["", "a", "b+c"])),
    st.builds(lines.execute, JOBS, MOMENTS, st.sampled_from(["slot1@x", "slot2@y"])),
    st.builds(lines.execute, JOBS, MOMENTS, st.just("slot1_2@x"), st.sampled_from([2, 8, "x"])),
    st.builds(lines.manage, JOBS, MOMENTS),
    st.builds(lambda *given: lines.end_held(*given[:2], *given[2]), JOBS, MOMENTS, ROWS),
    st.builds(lambda *given: lines.event(4, *given[:2], "\t(0)", *given[2]), JOBS, MOMENTS, ROWS),
    st.builds(lines.end, JOBS, MOMENTS, st.sampled_from([0, 1, 10])),
    st.builds(lines.event, st.sampled_from([4, 7, 9, 10, 11, 12, 13, 22, 99]), JOBS, MOMENTS),
    st.sampled_from(["junk\n", "...\n", "\n", "{\n", "}\n", "001 (1.0.0) x\n"]),
)


def ours(data: bytes) -> list[tuple]:
    """Return what the twin returns; starts that a clock made impossible are unknown here."""
    try:
        past = parsed_run([("log", data)])
    except FormatError:
        return []
    columns = [past.started + past.began, past.ended + past.began, past.suspended]
    rows = zip(past.job, *columns, past.ending, strict=True)
    return [
        (past.names[job], known(start), known(end), suspended, Ending(ending).name)
        for job, start, end, suspended, ending in rows
    ]


def our_cores(data: bytes) -> list[tuple[float | None, float | None]]:
    try:
        past = parsed_run([("log", data)])
    except FormatError:
        return []
    columns = [
        held.get("cores", np.full(len(past), np.nan)) for held in (past.requested, past.allocated)
    ]
    return [(known(asked), known(held)) for asked, held in zip(*columns, strict=True)]


def known(moment: float) -> float | None:
    return None if moment != moment else round(float(moment), 3)


def without_impossible_start(row: tuple) -> tuple:
    name, start, end, *rest = row
    is_impossible = start is not None and end is not None and end < start
    return name, None if is_impossible else start, end, *rest


@given(st.lists(EVENTS, max_size=30), st.integers(0, 200), st.data())
def test_the_reader_and_its_twin_agree(events, cut, data):
    text = "".join(events).encode()
    hole = data.draw(st.integers(0, len(text)))
    with_hole = text[:hole] + b"\n" + text[hole + cut :]

    for log in (text, text[:hole], text.replace(b"\n", b"\r\n")):
        assert ours(log) == [without_impossible_start(row) for row in twin_attempts(log)]
        assert our_cores(log) == twin_cores(log)
    ours(with_hole)  # a line may be torn, which the twin does not foresee: no error


@given(st.binary(max_size=300), st.sampled_from([b"", b"{", b"[{", b"a,", b"001 (1.0.0) 01/"]))
def test_any_bytes_are_read_or_refused_in_one_line(tmp_path_factory, data, start):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(start + data)
    said = ""
    try:
        read_run_times(path)
    except FormatError as error:
        said = str(error)

    assert "\n" not in said
