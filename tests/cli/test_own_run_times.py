"""What reports say about the run times that a workflow file has itself, all or some of them."""

import pytest

FORMATS = {
    "wf.csv": "task,parents,run_time\na,,3\nb,a,{0}\nc,a,5\n",
    "wf.dot": 'digraph {{ a [run_time=3]; b [run_time="{0}"]; c [run_time=5]; a -> {{b c}} }}\n',
    "wf.dax": '<adag><job id="a" name="x" runtime="3"/><job id="b" name="y" {1}/>'
    '<job id="c" name="z" runtime="5"/><child ref="b"><parent ref="a"/></child>'
    '<child ref="c"><parent ref="a"/></child></adag>',
}
GAP = "1 job without a run time in the file: icsched takes the mean of other jobs"


def _put(put, file, word):
    text = FORMATS[file].format(word, f'runtime="{word}"' if word else "")
    put({file: text.replace(' [run_time=""]', "")})


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("command", ["show", "prio"])
def test_a_file_with_all_run_times_gets_no_line_about_them(icsched, put, file, command):
    _put(put, file, "4")

    told = icsched(command, file).out.lower().replace("run times vary by 30%", "")
    assert "run time" not in told


@pytest.mark.parametrize("file", FORMATS)
def test_a_gap_is_told_once_by_show_as_a_remark(icsched, put, file):
    _put(put, file, "")
    told = [line for line in icsched("show", file).out.splitlines() if "run time" in line]

    assert told == [f"  {file}: tasks without a run time get the mean of their kind"]


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("words", [("prio",), ("cluster", "--size", "2")])
def test_a_gap_is_told_in_one_sentence_by_other_reports(icsched, put, file, words):
    _put(put, file, "")
    told = [line for line in icsched(*words, file).out.splitlines() if "without a run time" in line]

    assert [line.rstrip(".") for line in told] == [GAP]


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize(("word", "counts"), [("4", ""), ("", " (2 measured, 1 mean of all)")])
def test_simulate_says_in_one_line_what_it_takes_for_run_times(icsched, put, file, word, counts):
    _put(put, file, word)
    told = icsched("simulate", file, "--workers", "2", "--runs", "60").out.splitlines()

    line = f"Mean run times: from {file}{counts}; run times vary by 30% (lognormal)."
    assert [text for text in told if "run times" in text.lower()] == [line]
