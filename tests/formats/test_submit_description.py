"""Submit descriptions: values are those that condor_submit -dry-run of HTCondor 23.9 shows."""

import pytest

from icsched import FormatError
from icsched.formats.dagman.submit import Setting, arguments, environment, parsed

HERE = Setting("", "x.sub", 1)


def value(text: str, *names: str) -> str:
    return parsed("x.sub", text.split("\n")).of_job("j").value(*names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("arguments = a # c", "a # c"),
        ("  ARGUMENTS\t=\ta\tb  ", "a\tb"),
        ("arguments=1", "1"),
        ("arguments = a\\\n   b \\\n  c", "ab c"),
        ("arguments = 1\nArguments = 2", "2"),
        ("x = 1\nx = $(x)2\narguments = $(x) $(y)\ny = later", "12 later"),
        ("arguments = $(z:dflt) $(DOLLAR)(x) $(Process)|", "dflt $(x) 0|"),
        (
            "a = b\nb = deep\narguments = $(a) $($(a)) $(q:$(b)) $ $5 $(a b)",
            "b deep deep $ $5 $(a b)",
        ),
        ("x = 1\narguments = $( x ) $(x ) $(x:) $(z:a b) $(x", "$( x ) $(x ) 1 a b $(x"),
        ("arguments = $(JOB)", "j"),
        ("arguments =", ""),
        ("arguments = 1\nqueue\narguments = 2", "1"),
        ("arguments = a\r", "a"),
    ],
)
def test_values_are_read_and_expanded_as_condor_submit_does(text, expected):
    assert value(text, "arguments") == expected


def test_the_proper_name_of_a_setting_goes_before_its_other_names():
    assert value("arguments = 1\nargs = 2", "arguments", "args") == "1"
    assert value("args = 2", "arguments", "args") == "2"
    assert value("arguments =\nargs = 2", "arguments", "args") == "2"


def test_variables_come_before_the_description_or_after_it():
    description = parsed("x.sub", ["x = own", "arguments = $(x)"])
    said = [("x", Setting("$(x)+dag", "wf.dag", 1))]

    assert description.of_job("j", before=said).value("arguments") == "own"
    assert description.of_job("j", after=said).value("arguments") == "own+dag"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 'b c' d", ["a", "'b", "c'", "d"]),
        ("\"a 'b c' d \"\"q\"\" 'it''s' ''\"", ["a", "b c", "d", '"q"', "it's", ""]),
        ("\"a b'c d'e\"", ["a", "bc de"]),
        ('a \\"q\\" b\\n', ["a", '"q"', "b\\n"]),
        ("", []),
        ('""', []),
        ("\"''''\"", ["'"]),
    ],
)
def test_arguments_of_both_syntaxes_are_cut_into_words(text, expected):
    assert arguments(HERE, text) == expected


@pytest.mark.parametrize("text", ['a "q" b', '"a" b', '"a \'b c"', '"a', '"a ""', "\"a '''\""])
def test_quotes_that_do_not_match_are_refused(text):
    with pytest.raises(FormatError, match=r"^x\.sub:1: expected"):
        arguments(HERE, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1; B=2 3;C=", ["A=1", "B=2 3", "C="]),
        ("A=1;B= x ;", ["A=1", "B= x "]),
        ("A=1|B=2", ["A=1|B=2"]),
        ("\"A=1 B='x y' C='it''s' D=\"\"q\"\"\"", ["A=1", "B=x y", "C=it's", 'D="q"']),
        ('"A=b=c"', ["A=b=c"]),
    ],
)
def test_environments_of_both_syntaxes_are_read(text, expected):
    assert environment(HERE, text) == expected


@pytest.mark.parametrize("text", ["A;B=2", '"A B=1"', "=1", '"-u=1"'])
def test_an_environment_without_names_is_refused(text):
    with pytest.raises(FormatError, match="expected NAME=VALUE in the environment, got"):
        environment(HERE, text)


@pytest.mark.parametrize(
    "text",
    [
        "x = $(y)\ny = $(x)\narguments = $(x)",
        "\n".join(["x0 = " + "a" * 9, *(f"x{n + 1} = $(x{n})$(x{n})" for n in range(40))])
        + "\narguments = $(x40)",
        "arguments = $(a)\na = $(b)\nb = $(c)\nc = $(a)",
    ],
    ids=["circle", "bomb", "longer circle"],
)
def test_macros_without_end_are_refused(text):
    with pytest.raises(FormatError, match="expected macros that come to an end, got"):
        value(text, "arguments")


def test_a_value_that_doubles_itself_is_refused():
    text = "\n".join(["x = 0123456789", *["x = $(x)$(x)"] * 40])

    with pytest.raises(FormatError, match="expected at most 131,072 letters in x"):
        value(text, "x")
