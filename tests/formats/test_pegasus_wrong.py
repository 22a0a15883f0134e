"""Pegasus files that are wrong: each is refused in one line."""

import pytest

import icsched
from icsched import FormatError

BOMB = "a: &a [x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcd", "bcde", strict=True)
)
HEAD = "pegasus: '5.0'\nname: x\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "wf.yml:1: expected a workflow of Pegasus, with a list of jobs, got an empty file"),
        ("a: b: c", "wf.yml:1: expected YAML: mapping values are not allowed in this context"),
        ("- a", "wf.yml:1: expected a workflow of Pegasus, with a list of jobs, got a list"),
        ("jobs: [a]", "wf.yml:1: jobs: expected mappings, got a word"),
        ("jobs:\n- name: x", "wf.yml:2: id: expected a word, got a nothing"),
        ("jobs:\n- {id: a}\n- {id: a}", "wf.yml:3: expected each job once, got 'a' twice"),
        (HEAD + "jobs: &j [*j]", "wf.yml:3: expected no alias of a list or a mapping, got *j"),
        (BOMB, "wf.yml:2: expected no alias of a list or a mapping, got *a"),
        (HEAD + "---\na: b", "wf.yml:3: expected one document, got another"),
        (
            "jobs: " + "[" * 10**6,
            "wf.yml:1: expected at most 64 levels of lists and mappings, got more",
        ),
        ("? [a]\n: b", "wf.yml:1: expected a word as key, got a list or a mapping"),
        (b"\xff\xfej\0", "wf.yml:1: expected UTF-8 text, got byte 0xff"),
        ("a: \x07", "wf.yml: expected YAML, got control characters are not allowed"),
        (
            "jobs: [{id: a}]\njobDependencies:\n- {id: a, children: [b]}",
            "wf.yml:3: jobDependencies: expected jobs, got 'b', which is not one",
        ),
        (
            "jobs: [{id: a}, {id: b}]\njobDependencies:\n- {id: a, children: [b]}\n"
            "- {id: b, children: [a]}",
            "wf.yml:3: dependency cycle: a -> b -> a",
        ),
        (
            "jobs:\n- {id: a, profiles: {pegasus: {runtime: nan}}}",
            "wf.yml:2: job 'a': runtime: expected 0 or more, got 'nan'",
        ),
        (
            "jobs:\n- {id: a, profiles: {pegasus: {runtime: -1}}}",
            "wf.yml:2: job 'a': runtime: expected 0 or more, got '-1'",
        ),
        (
            "jobs:\n- {id: a, uses: [{lfn: f, type: output, size: 1e40}]}",
            "wf.yml:2: job 'a': size: expected 0 or more bytes below 2^53, got '1e40'",
        ),
        (
            "jobs:\n- {id: a, profiles: [x]}",
            "wf.yml:2: job 'a': profiles: expected a mapping, got a list",
        ),
        (
            "jobs:\n- {id: a, profiles: {condor: [x]}}",
            "wf.yml:2: job 'a': condor: expected a mapping, got a list",
        ),
        (
            "jobs:\n- {id: a, uses: {lfn: f}}",
            "wf.yml:2: job 'a': uses: expected a list, got a mapping",
        ),
        (
            "jobs:\n- {id: a, uses: [{lfn: f, type: output, size: [1]}]}",
            "wf.yml:2: job 'a': size: expected a number, got a list",
        ),
        (
            "jobs:\n- {id: a, uses: [{lfn: f, type: [output]}]}",
            "wf.yml:2: job 'a': uses: expected a word as type, got a list",
        ),
        ("jobs:\n- {id: a, name: [x]}", "wf.yml:2: job 'a': name: expected a word, got a list"),
        (
            "jobs: [{id: a}, {id: b}]\n# how a comes first\n"
            "jobDependencies:\n  id: a\n  children: [b]",
            "wf.yml:3: jobDependencies: expected a list of mappings, got a mapping",
        ),
        (
            "jobs: [{id: a}, {id: b}]\njobDependencies: b",
            "wf.yml:2: jobDependencies: expected a list of mappings, got 'b'",
        ),
        (
            "jobs: [{id: a}]\njobDependencies: [a]",
            "wf.yml:2: jobDependencies: expected a list of mappings, got 'a'",
        ),
        (
            "jobs: [{id: a}, {id: b}]\njobDependencies:\n- {id: a, children: b}",
            "wf.yml:3: job 'a': children: expected a list, got 'b'",
        ),
        (
            "jobs: [{id: a}]\njobDependencies:\n- {id: [a], children: []}",
            "wf.yml:3: jobDependencies: expected jobs, got a list, which is not one",
        ),
        ("jobs: [{id: a}]\njobs: [{id: b}]", "wf.yml:2: expected each key once, got 'jobs' twice"),
    ],
    ids=range(30),
)
def test_a_wrong_file_is_one_line(put, text, says):
    put({"wf.yml": text})

    with pytest.raises(FormatError) as caught:
        icsched.read("wf.yml")

    assert str(caught.value) == says


def test_sizes_that_are_too_large_together_are_one_line(put):
    uses = [f"{{lfn: f{n}, type: output, size: {2**53 - 1}}}" for n in range(1_100)]
    put({"wf.yml": f"jobs: [{{id: a, uses: [{', '.join(uses)}]}}]"})

    with pytest.raises(FormatError, match=rf"^wf.yml: sizes: expected a sum below {2**53:,}, got "):
        icsched.read("wf.yml")
