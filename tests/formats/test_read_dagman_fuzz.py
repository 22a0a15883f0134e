"""Laws of reading DAGMan files, tried on many files that no one would write."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from icsched import Dag, FormatError
from icsched._native import DagmanScan, scan_dagman
from icsched.formats.dagman import source
from icsched.formats.dagman.entry import read_dagman
from icsched.formats.dagman.source import Kind
from icsched.formats.dagman.submission import Submission, read_submission
from icsched.formats.dagman.writer import dagman_text, flat_file, write_dagman
from tests.formats.models import Model, models
from tests.strategies import dags


@pytest.fixture(scope="session")
def scratch(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="session")
def read(scratch) -> Callable[..., Submission]:
    """Read bytes as wf.dag; files that it names are those of `Model`."""

    def reader(data: str | bytes, name: str = "wf.dag") -> Submission:
        path = scratch / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        workflow = read_submission(path, lenient=False, directory=str(scratch))
        _ = workflow.dag
        return workflow

    return reader


def facts(workflow: Submission) -> dict[str, object]:
    """All that was understood, as plain values."""
    names = workflow.names
    given = zip(names, workflow.priorities.tolist(), workflow.has_priority, strict=True)
    return {
        "names": names,
        "arcs": {(names[a], names[b]) for a, b in workflow.dag.arcs.tolist()},
        "done": {name for name, is_done in zip(names, workflow.done, strict=True) if is_done},
        "priorities": {name: value for name, value, is_given in given if is_given},
    }


# Any bytes

WORDS = [
    *rb"a b S S+p in.dag x.sub x.condor.sub PARENT CHILD ALL_NODES EXTERNAL DIR NOOP DONE".split(),
    *rb"3 -3 3x 2147483648 PRE POST DEFER DEBUG RETURN UNLESS-EXIT PREPEND { } @=T @T".split(),
    *rb"""k="v" k=v k= ="v" "a b" 'c' ' " \ # // "x" "{" k="\"" k="\\" k="\n" = CHILD""".split(),
    b'"x y"',
    b'k="a \\" b"',
    b"CH\xc4\xb1LD",
    b"\xc3\xa9",
    b"\xe9",
    b"\xc2\xa0",
    b"\x1c",
    b"\x7f",
]
COMMANDS = rb"""
    JOB FINAL PROVISIONER SERVICE SUBDAG SPLICE INCLUDE SUBMIT-DESCRIPTION PARENT WEAK SCRIPT
    RETRY ABORT-DAG-ON VARS PRIORITY PRE_SKIP TOLERANCE CATEGORY MAXJOBS DONE SAVE_POINT_FILE
    CONNECT PIN_IN PIN_OUT CONFIG DOT NODE_STATUS_FILE JOBSTATE_LOG SET_JOB_ATTR ENV REJECT
""".split()
USUAL = [b"JOB a x", b"JOB b x DONE", b"SPLICE S in.dag", b"PARENT a CHILD b", b"PRIORITY a 3"]
USUAL += [b'JOB a "x y"', b"SUBDAG EXTERNAL b in.dag", b"JOB b {\n}", b'VARS a k="\\"v\\""']
NEARLY = rb"""
    JOB|b|x|DIR|d|NOOP|DONE SUBDAG|EXTERNAL|b|"x"|DIR|"d" VARS|a|PREPEND|k="v"|l=w VARS|a|k|=|"v"
    SCRIPT|DEFER|1|2|PRE|a|x SAVE_POINT_FILE|a|"f" RETRY|a|3|UNLESS-EXIT|2 ABORT-DAG-ON|a|3|RETURN|4
    PARENT|a|CHILD|b|S PRIORITY|a|3 PRE_SKIP|a|4 CATEGORY|a|c DONE|a TOLERANCE|a|15|%
""".split()
BLANKS = st.sampled_from([b" "] * 8 + [b"\t", b"  ", b" \\\n ", b" \\\n# c\n", b" \\\n\n"])
ENDS = st.sampled_from([b"\n"] * 8 + [b"\r\n", b"\n\n", b" \\\n", b"\n# c\n", b""])
lines = st.builds(
    lambda command, words, blanks: b"".join(
        part for pair in zip([command, *words], blanks, strict=False) for part in pair
    ),
    st.sampled_from(COMMANDS),
    st.lists(st.sampled_from(WORDS), max_size=5),
    st.lists(BLANKS, min_size=6, max_size=6),
)


@st.composite
def nearly(draw: st.DrawFn) -> bytes:
    """A statement in a usual form, in which a word or two may be another."""
    words = draw(st.sampled_from(NEARLY)).split(b"|")
    for word in draw(st.lists(st.sampled_from(WORDS), max_size=2)):
        at = draw(st.integers(1, len(words)))
        words[at : at + draw(st.integers(0, 1))] = [word]
    return b"".join(part for word in words for part in (word, draw(BLANKS)))


texts = st.lists(
    st.tuples(st.sampled_from(USUAL) | lines | nearly(), ENDS).map(b"".join), max_size=8
).map(b"".join)


@pytest.fixture(scope="session")
def verdict(read, scratch) -> Callable[[bytes], object]:
    """Read any bytes; return what was understood, or what was said against them."""
    (scratch / "in.dag").write_text("JOB p x\nJOB q x\nPARENT p CHILD q\n")

    def judge(data: bytes) -> object:
        try:
            workflow = read(data)
        except FormatError as error:
            complaint = error
        else:
            return facts(workflow), workflow.remarks, workflow.configs
        assert complaint.path.endswith(("wf.dag", "in.dag"))
        assert complaint.line is None or 1 <= complaint.line <= data.count(b"\n") + 1
        return str(complaint)

    return judge


@given(texts)
@settings(max_examples=500)
@example(b"\xc2\xa0\n")
@example(b"\x1c")
@example(b"INCLUDE in.dag\nINCLUDE in.dag\n")
def test_a_file_is_read_or_refused_and_always_the_same_way(verdict, data):
    assert verdict(data) == verdict(data)


@given(st.binary() | st.lists(st.sampled_from(WORDS) | BLANKS | ENDS, max_size=30).map(b"".join))
@settings(max_examples=200)
def test_any_bytes_are_read_or_refused_and_always_the_same_way(verdict, data):
    assert verdict(data) == verdict(data)


# There and back

# No blanks and control characters, and nothing that DAGMan would not take or misread.
_letters = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="+\"'=\\")
job_names = st.text(_letters, min_size=1, max_size=5).filter(
    lambda name: not re.fullmatch("parent|child|all_nodes", name, re.IGNORECASE)
)


@given(dags(), st.data(), st.text(max_size=3))
def test_a_dag_that_was_written_is_read_back_the_same(scratch, dag, data, title):
    names = data.draw(
        st.lists(job_names, min_size=len(dag), max_size=len(dag), unique=True), label="names"
    )
    named = Dag.from_arcs(len(dag), dag.arcs, names=names)
    path = scratch / "written.dag"

    write_dagman(named, path, title=title.replace("\n", " ").replace("\0", " "))

    assert read_dagman(path).dag == named
    assert path.read_text(encoding="utf-8").endswith(dagman_text(named))


@given(models())
@settings(max_examples=120)
def test_a_file_means_what_it_was_made_to_mean(read, model):
    assert facts(read(model.text)) == model.facts


def _all_odd(data: bytes) -> DagmanScan:
    """Scan a file so that no statement is recognised as plain."""
    scan = scan_dagman(data)
    none, nowhere = np.empty(0, np.int32), np.empty(0, np.int64)
    return replace(
        scan,
        kind=np.where(scan.kind == Kind.BROKEN, Kind.BROKEN, Kind.OTHER).astype(np.uint8),
        name=np.full_like(scan.name, -1),
        value=np.where(scan.kind == Kind.BROKEN, scan.value, 0).astype(np.int32),
        refs=none,
        first_parent=nowhere,
        first_child=nowhere,
        names=b"",
        name_count=0,
    )


@contextmanager
def nothing_plain() -> Iterator[None]:
    """Leave every statement to the careful parser."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source._native, "scan_dagman", _all_odd)
        yield


@given(models())
@settings(max_examples=120)
def test_the_plain_and_the_careful_way_to_read_a_file_agree(read, model):
    """C++ understands what is written in the plainest way, Python everything."""
    with nothing_plain():
        careful = read(model.text)
    plain = read(model.text)

    assert facts(careful) == facts(plain) == model.facts
    assert [job.node for job in careful.jobs()] == [job.node for job in plain.jobs()]
    assert careful.scope.joins == plain.scope.joins
    assert sum(remark.count for remark in careful.remarks) == sum(
        remark.count for remark in plain.remarks
    )


@given(texts)
@settings(max_examples=250)
def test_the_plain_and_the_careful_way_refuse_the_same_files(verdict, data):
    with nothing_plain():
        careful = verdict(data)
    plain = verdict(data)

    assert isinstance(careful, str) == isinstance(plain, str)
    if not isinstance(plain, str):
        assert careful[0] == plain[0]


@given(models())
@settings(max_examples=80)
def test_statements_that_are_not_plain_mean_what_plain_ones_do(read, model):
    lines = []
    for line in model.lines:
        disguised = re.sub("^PARENT", "WEAK PARENT", line)
        disguised = re.sub(r"^(PRIORITY \w+ -?\d)$", r"\1x", disguised)
        lines.append(re.sub(r"^JOB (\w+) (x\S*)", r'JOB \1 "\2"', disguised))

    assert facts(read("".join(f"{line}\n" for line in lines))) == model.facts


@given(models(), st.data())
@settings(max_examples=80)
def test_blanks_comments_and_continuations_change_nothing(read, model, data):
    ends = st.sampled_from(["\n", "\r\n", "\n\n", " \t\n", "\n# JOB no x\n", "\n // no\n"])
    blanks = st.sampled_from([" ", "  ", "\t", " \\\n", " \\\r\n\t", " \\\n# no\n"])
    text = ""
    for line in model.lines:
        if "\n" not in line and '"' not in line and "'" not in line:
            words = line.split(" ")
            line = "".join(word + data.draw(blanks) for word in words[:-1]) + words[-1]
        text += line + data.draw(ends)

    assert facts(read(text)) == model.facts


# Splices, and one file of all


def places(workflow: Submission) -> dict[str, str]:
    """Where each job runs, and where its submit file is looked for if it has one."""
    return {
        job.name: str(Path(job.directory, "" if job.has_description else job.node.submit))
        for job in workflow.jobs()
    }


def _spliced(outer: Model, inner: Model) -> Model:
    """The outer file's jobs, then the inner one's under the name of the splice, nothing done."""
    renamed = {name: f"S+{name}" for name in inner.names}
    return Model(
        [*outer.names, *renamed.values()],
        [*outer.lines, "SPLICE S in.dag"],
        outer.arcs | {(renamed[a], renamed[b]) for a, b in inner.arcs},
        outer.done,
        outer.priorities | {renamed[n]: value for n, value in inner.priorities.items()},
    )


@given(models(), models(letters="pqrstu"))
@settings(max_examples=80)
def test_a_splice_means_the_file_that_it_names(read, scratch, outer, inner):
    (scratch / "in.dag").write_text(inner.text)
    model = _spliced(outer, inner)

    assert facts(read(model.text)) == model.facts
    with nothing_plain():
        assert facts(read(model.text)) == model.facts


@given(models(), models(letters="pqrstu"), st.data())
@settings(max_examples=80)
def test_a_flattened_file_means_the_same_with_other_names(read, scratch, outer, inner, data):
    (scratch / "in.dag").write_text(inner.text)
    workflow = read(_spliced(outer, inner).text)
    values = data.draw(st.permutations(range(1, len(workflow.names) + 1)))
    told = dict(zip(workflow.names, values, strict=True))
    flat_names = [name.replace("+", "-") for name in workflow.names]

    text = flat_file(workflow, told)
    flat = read(text.replace(b"# icsched", b"# other"), "flat.dag")  # else its section is skipped
    kept = flat_file(workflow, told, keep_existing=True)

    assert flat.names == tuple(flat_names)
    assert flat.dag.arcs.tolist() == workflow.dag.arcs.tolist()
    assert flat.done.tolist() == workflow.done.tolist()
    assert flat.priorities.tolist() == values
    assert not flat.has_splices
    assert {name.replace("+", "-"): place for name, place in places(workflow).items()} == (
        places(flat)
    )
    assert not read(text, "flat.dag").has_priority.any()  # its section overrides them all
    before = read(kept, "flat.dag")
    assert before.priorities.tolist() == workflow.priorities.tolist()
    assert before.has_priority.tolist() == workflow.has_priority.tolist()
