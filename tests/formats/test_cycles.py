"""A workflow with a cycle is refused, with the line of an arc of the cycle."""

import pytest

import icsched
from icsched import FormatError

XML = '<?xml version="1.0"?>\n'
# a -> b, b -> c and c -> a are on a line each: the three last lines before what closes the file.
# In WfFormat and in the last files, the line is that of the task which names its parent.
FILES = {
    "wf.dag": "JOB a x\nJOB b x\nJOB c x\n\nPARENT a CHILD b\nPARENT b CHILD c\nPARENT c CHILD a\n",
    "wf.edges": "# one\n\n# two\n\na b\nb c\nc a\n",
    "wf.csv": "\ufeffparent,child\nx,y\n\n\na,b\nb,c\nc,a\n",
    "wf.tsv": "task\tparents\r\n\r\n\r\n\r\nb\ta\r\nc\tb\r\na\tc\r\n",
    "wf.dot": "digraph {\n  a\n  b\n  c\n  a -> b\n  b -> c\n  c -> a\n}\n",
    "chain.dot": "digraph {\n a -> x\n\n a\n-> b\n-> c\n-> a\n}\n",
    "group.dot": 'digraph {\n "\n\n" -> a\n{a} -> b;\n b -> {c}\nc -> a }\n',
    "wf.dax": f"""{XML}<adag>
<job id="a"/><job id="b"/><job id="c"/>

<child ref="b"><parent ref="a"/></child>
<child ref="c"><parent ref="b"/></child>
<child ref="a"><parent ref="c"/></child>
</adag>""",
    "files.dax": f"""{XML}<adag>


<job id="b"><uses name="ab" link="input"/><uses name="bc" link="output"/></job>
<job id="c"><uses name="bc" link="input"/><uses name="ca" link="output"/></job>
<job id="a"><uses name="ca" link="input"/><uses name="ab" link="output"/></job>
</adag>""",
    "wf.yml": """jobs: [{id: a}, {id: b}, {id: c}]


jobDependencies:
- {id: a, children: [b]}
- {id: b, children: [c]}
- {id: c, children: [a]}
""",
    "files.yml": """pegasus: "5.0"


jobs:
- {id: b, uses: [{lfn: ab, type: input}, {lfn: bc, type: output}]}
- {id: c, uses: [{lfn: bc, type: input}, {lfn: ca, type: output}]}
- {id: a, uses: [{lfn: ca, type: input}, {lfn: ab, type: output}]}
""",
    "wf.json": """{"workflow":

{"tasks":
[
{"name": "b", "parents": ["a"]},
{"name": "c", "parents": ["b"]},
{"name": "a", "parents": ["c"]}]}}""",
    "children.json": """{"workflow": {"specification":

{"tasks":
[
{"id": "a", "name": "a", "children": ["b"]},
{"id": "b", "name": "b", "children": ["c"]},
{"id": "c", "name": "c", "children": ["a"]}]}}}""",
    "files.json": """{"workflow": {"specification":

{"tasks":
[
{"id": "b", "name": "b", "inputFiles": ["ab"], "outputFiles": ["bc"]},
{"id": "c", "name": "c", "inputFiles": ["bc"], "outputFiles": ["ca"]},
{"id": "a", "name": "a", "inputFiles": ["ca"], "outputFiles": ["ab"]}]}}}""",
}


@pytest.mark.parametrize("path", FILES)
def test_a_cycle_has_the_line_of_its_first_arc(path, put):
    put({path: FILES[path]})

    with pytest.raises(FormatError) as caught:
        icsched.read(path)

    assert str(caught.value) in {
        f"{path}:5: dependency cycle: a -> b -> c -> a",
        f"{path}:6: dependency cycle: b -> c -> a -> b",
        f"{path}:7: dependency cycle: c -> a -> b -> c",
    }
