"""DAX files of Pegasus, versions 2.x and 3.x."""

from pathlib import Path

import pytest

import icsched
from icsched import FormatError, prioritize
from icsched.workflow import Command

# Version 2.1, as traces have it: run times, and files by the attribute "file".
TRACE = """\
<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="2.1" name="test" jobCount="3">
  <job id="ID00" namespace="Genome" name="split" version="1.0" runtime="3.5">
    <uses file="all" link="input" size="900"/>
    <uses file="one" link="output" size="500"/>
    <uses file="two" link="output" size="400"/>
  </job>
  <job id="ID01" namespace="Genome" name="map" version="1.0" runtime="10">
    <uses file="one" link="input" size="500"/>
    <uses file="map1" link="output" size="7"/>
  </job>
  <job id="ID02" namespace="Genome" name="merge" version="1.0" runtime="0.25">
    <uses file="map1" link="input" size="7"/>
    <uses file="two" link="input" size="400"/>
  </job>
CHILDREN</adag>
"""
CHILDREN = """\
  <child ref="ID01"><parent ref="ID00"/></child>
  <child ref="ID02">
    <parent ref="ID01"/>
  </child>
"""

# Version 3.6, as the Java and Python interfaces of Pegasus write it.
DIAMOND = """\
<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX"
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xsi:schemaLocation="http://pegasus.isi.edu/schema/DAX dax-3.6.xsd" version="3.6" name="d">
  <file name="f.a"><pfn url="file:///data/f.a" site="local"/></file>
  <executable namespace="diamond" name="keg" version="4.0" installed="true">
    <pfn url="file:///usr/bin/keg%20x" site="TestCluster"/>
  </executable>
  <job id="ID1" namespace="diamond" name="keg" version="4.0">
    <argument>-T 60 -i <file name="f.a"/> -o <file name="f b"/></argument>
    <profile namespace="env" key="MODE">fast lane</profile>
    <stdout name="log" link="output"/>
    <uses name="f.a" link="input"/>
    <uses name="f b" link="output" transfer="false"/>
  </job>
  <job id="ID2" name="sort">
    <argument>-n <filename file="f b"/></argument>
    <profile namespace="condor" key="priority">  4 </profile>
    <profile namespace="dagman" key="PRIORITY">9</profile>
    <stdin name="f b" link="input"/>
    <uses name="f b" link="input"/>
  </job>
  <dax id="ID3" file="inner.dax"/>
  <child ref="ID2"><parent ref="ID1"/></child>
  <child ref="ID3"><parent ref="ID2"/></child>
</adag>
"""


def test_a_trace_has_run_times_and_sizes_of_outputs(put):
    put({"wf.dax": TRACE.replace("CHILDREN", CHILDREN)})

    workflow = icsched.read("wf.dax")

    assert workflow.format == "dax"
    assert workflow.to_dict()["arcs"] == [["ID00", "ID01"], ["ID01", "ID02"]]
    assert workflow.run_times.tolist() == [3.5, 10, 0.25]
    assert workflow.sizes.tolist() == [900, 7, 0]
    assert workflow.commands is None
    assert workflow.remarks == ()


def test_jobs_of_one_transformation_are_of_one_kind(put):
    jobs = "".join(f'<job id="ID{n}" name="{"map" if n < 2 else "end"}"/>' for n in range(3))
    put({"wf.dax": f"<adag>{jobs}</adag>"})

    assert icsched.read("wf.dax").kinds.tolist() == [0, 0, 1]


def test_without_child_elements_files_make_the_dependencies_and_a_remark_says_so(put):
    """ID00 writes one and two; ID01 reads one; ID02 reads two, and map1 of ID01."""
    put({"wf.dax": TRACE.replace("CHILDREN", "")})

    workflow = icsched.read("wf.dax")

    assert workflow.to_dict()["arcs"] == [["ID00", "ID01"], ["ID00", "ID02"], ["ID01", "ID02"]]
    (remark,) = workflow.remarks
    assert remark.text == "dependencies come from the files that tasks write and read"
    assert remark.count == 3


def test_a_file_that_a_job_updates_makes_no_loop(put):
    uses = '<uses name="db" link="{}"/>'
    jobs = [("a", "output"), ("b", "inout"), ("c", "input")]
    text = "".join(f'<job id="{job}">{uses.format(link)}</job>' for job, link in jobs)
    put({"wf.dax": f"<adag>{text}</adag>"})

    assert icsched.read("wf.dax").to_dict()["arcs"] == [["a", "b"], ["b", "c"]]


def test_sizes_that_are_too_large_together_are_one_line(put):
    uses = "".join(f'<uses name="f{n}" link="output" size="{2**53 - 1}"/>' for n in range(1_100))
    put({"wf.dax": f'<adag><job id="a">{uses}</job></adag>'})

    with pytest.raises(FormatError, match=rf"^wf.dax: sizes: expected a sum below {2**53:,}, got "):
        icsched.read("wf.dax")


def test_commands_come_from_executables_arguments_and_profiles(put):
    put({"wf.dax": DIAMOND.replace('<dax id="ID3" file="inner.dax"/>', '<job id="ID3" name="x"/>')})

    assert icsched.read("wf.dax").commands == (
        Command(
            ("/usr/bin/keg x", "-T", "60", "-i", "f.a", "-o", "f b"),
            environment=(("MODE", "fast lane"),),
            stdout="log",
        ),
        Command(("sort", "-n", "f b"), stdin="f b"),
        Command(("x",)),
    )


def test_a_workflow_inside_is_one_task_that_icsched_cannot_run(put):
    put({"wf.dax": DIAMOND})

    workflow = icsched.read("wf.dax")

    assert workflow.names == ("ID1", "ID2", "ID3")
    assert workflow.priorities.tolist() == [0, 4, 0]
    assert [remark.text for remark in workflow.remarks] == [
        "a dagman profile PRIORITY wins over the priority that icsched sets",
        "jobs that are workflows: icsched orders each as one job",
    ]
    with pytest.raises(FormatError, match=r"^wf.dax:23: icsched cannot run a <dax>"):
        _ = workflow.commands


def test_an_argument_with_an_open_quote_is_one_line_when_commands_are_asked_for(put):
    put({"wf.dax": '<adag>\n<job id="a" name="x"><argument>it\'s</argument></job></adag>'})

    with pytest.raises(FormatError, match=r"^wf.dax:2: expected words as a shell reads them"):
        _ = icsched.read("wf.dax").commands


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ('<job id="a" runtime="fast"/>', "run_time of task 'a': expected seconds, got 'fast'"),
        ('<job id="a" runtime="-1"/>', "run_time of task 'a': expected 0 or more, got '-1'"),
        ('<job id="a" runtime="nan"/>', "run_time of task 'a': expected 0 or more, got 'nan'"),
        (
            '<job id="a"><uses name="x" link="output" size="1e-3"/></job>',
            f"size of a file: expected a whole number of bytes below {2**53:,}, got '1e-3'",
        ),
        (
            '<job id="a"><profile namespace="condor" key="priority">$(p)</profile></job>',
            "priority of task 'a': expected a whole number of 32 bits, got '$(p)'",
        ),
        ('<job id="a"><job id="b"/></job>', "expected no <job> inside a job"),
        ('<job id="a"/><child><parent ref="a"/></child>', "expected two tasks, got one"),
    ],
)
def test_wrong_jobs_are_one_line(job, expected, put):
    put({"wf.dax": f"<adag>\n{job}</adag>"})

    with pytest.raises(FormatError) as caught:
        icsched.read("wf.dax")

    assert str(caught.value) == f"wf.dax:2: {expected}"


def test_an_order_is_written_where_the_schema_wants_profiles(put):
    """After the argument, before all else; an old value is replaced, the rest stays."""
    put({"wf.dax": DIAMOND})
    plan = prioritize(icsched.read("wf.dax").dag, "fifo")

    assert icsched.write("wf.dax", plan) == ["wf.dax"]

    profile = '<profile namespace="condor" key="priority">'
    expected = DIAMOND.replace(">  4 <", ">2<")
    expected = expected.replace(
        '"f b"/></argument>\n    <profile namespace="env"',
        f'"f b"/></argument>\n    {profile}3</profile>\n    <profile namespace="env"',
    )
    expected = expected.replace(
        'file="inner.dax"/>', f'file="inner.dax">\n    {profile}1</profile>\n  </dax>'
    )
    assert Path("wf.dax").read_text() == expected


def test_an_argument_that_ends_with_a_file_is_left_whole(put):
    text = '<adag><job id="a"><argument><file name="x"/></argument></job></adag>'
    put({"wf.dax": text})

    icsched.write("wf.dax", prioritize(icsched.read("wf.dax").dag, "fifo"))

    profile = '<profile namespace="condor" key="priority">1</profile>'
    assert Path("wf.dax").read_text() == text.replace("</argument>", f"</argument>{profile}")


def test_missing_run_times_get_the_mean_of_their_kind_and_are_told(put):
    jobs = '<job id="a1" name="m" runtime="4"/><job id="a2" name="m"/>'
    put({"wf.dax": f"<adag>{jobs}</adag>"})

    workflow = icsched.read("wf.dax")

    assert workflow.run_times.tolist() == [4, 4]
    assert [(remark.text, remark.count) for remark in workflow.remarks] == [
        ("tasks without a run time get the mean of their kind", 1)
    ]
