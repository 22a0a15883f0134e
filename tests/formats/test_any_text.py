"""Any text at all is a workflow, or one line that names the file."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import icsched
from icsched import FormatError

PIECES = {
    "wf.dot": (
        'digraph strict graph subgraph node edge { } [ ] = ; , : + -> -- a b "c" " < > <b> <!-- -->'
        ' // /* */ # -1 . label priority=3 run_time=x \\ \\" é'
    ),
    "wf.csv": 'task parents parent child priority run_time done command , ; \t " "" a b a,b',
    "wf.edges": "a b c # #x { } {'w':1} 3.5 \ufeff",
    "wf.sh": (
        "sbatch j1=$( ) ` \" ' \\ $j1 ${j1} --dependency=afterok: -d afterok:$j1 --nice --nice=3"
        " --wrap= x.sh # ; | & echo set -e * --"
    ),
}


def outcome(name: str) -> str:
    try:
        _ = icsched.read(name).commands
    except FormatError as error:
        return str(error)
    return f"{name} is a workflow"


@pytest.mark.parametrize("name", PIECES)
@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_any_text_is_a_workflow_or_one_line(put, name, data):
    words = st.sampled_from([*PIECES[name].split(" "), " ", "\n", "\r\n", ""])
    starts = {"wf.dot": "digraph {", "wf.csv": "task,parents\n"}
    start = data.draw(st.sampled_from(["", starts.get(name, "")]))
    blank = data.draw(st.sampled_from(["", " "]))
    put({name: start + blank.join(data.draw(st.lists(words, max_size=25)))})

    said = outcome(name)

    assert said.startswith(name)
    assert "\n" not in said
