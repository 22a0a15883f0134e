"""Sizes and components as Malewicz et al. 2007, section 3.3 states them."""

import numpy as np
import pytest

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import airsn, inspiral, montage, sdss


def component(dag: Dag, source: int) -> list[int]:
    """C(s) of Malewicz et al. 2007: with each source in it its children, with each task its
    parents.
    """
    members, unseen = {source}, [source]
    while unseen:
        task = unseen.pop()
        parents = dag.parents(task).tolist()
        found = {*(parents or dag.children(task).tolist())} - members
        members |= found
        unseen += found
    return sorted(members)


def without_arcs(dag: Dag, parent_stage: str, child_stage: str) -> Dag:
    kept = [
        (parent, child)
        for parent, child in dag.arcs.tolist()
        if not (
            dag.names[parent].startswith(parent_stage) and dag.names[child].startswith(child_stage)
        )
    ]
    return Dag.from_arcs(len(dag), kept, names=dag.names)


def parent_names(dag: Dag, name: str) -> set[object]:
    return {dag.names[parent] for parent in dag.parents(dag.id_of(name))}


@pytest.mark.parametrize(
    ("family", "jobs"), [(airsn, 773), (inspiral, 2988), (montage, 7881), (sdss, 48013)]
)
def test_the_default_member_has_the_size_that_the_paper_states(family, jobs):
    dag = family()

    assert len(dag) == jobs
    assert len(dag.connected_parts) == 1
    assert np.all(dag.arcs[:, 0] < dag.arcs[:, 1])


@pytest.mark.parametrize("width", range(1, 6))
@pytest.mark.parametrize("first", ["fringes", "handle"])
def test_airsn_is_a_double_umbrella_with_fringes(width, first):
    dag = airsn(width, first)

    assert len(dag) == 3 * width + 23
    # handle 20; first cover 2 each; join 1 each; second cover 1 each; join 1 each
    assert dag.arc_count == 20 + 5 * width
    assert len(dag.sources) == width + 1
    assert dag.levels.max() == 20 + 4
    assert parent_names(dag, "cover_1_0") == {"fringe_0", "handle_20"}
    assert parent_names(dag, "cover_2_0") == {"join_1"}
    assert [dag.names[sink] for sink in dag.sinks] == ["join_2"]
    assert np.all(dag.arcs[:, 0] < dag.arcs[:, 1])


def test_airsn_numbers_first_what_it_is_asked_to():
    assert airsn(2).names[:3] == ("fringe_0", "fringe_1", "handle_00")
    assert airsn(2, "handle").names[20:22] == ("handle_20", "fringe_0")


def test_names_are_numbered_with_a_fixed_width():
    assert airsn().names[7] == "fringe_007"
    assert montage().names[-3] == "mBackground_1349"
    assert sdss().names[801] == "core_001"


@pytest.mark.parametrize("segments", range(3, 8))
def test_inspiral_repeats_its_search_with_the_banks_of_neighbours(segments):
    dag = inspiral(segments)
    last = segments - 1

    assert len(dag) == 9 * segments
    assert parent_names(dag, "inspiral_a_0") == {"datafind_0", "tmpltbank_1"}
    assert parent_names(dag, "inspiral_b_0") == {"datafind_0", f"tmpltbank_{last}"}
    assert parent_names(dag, f"thinca_{last}") == {f"inspiral_a_{last}", "inspiral_b_0"}
    assert parent_names(dag, "trigbank_1") == {"thinca_1"}
    assert parent_names(dag, "inspiral2_b_1") == {"trigbank_1"}
    assert parent_names(dag, "thinca2_0") == {"inspiral2_a_0", "inspiral2_b_1"}
    assert len(dag.sources) == len(dag.sinks) == segments


def test_inspiral_has_a_component_of_over_1000_jobs_that_is_not_bipartite():
    dag = inspiral()
    largest = component(dag, 0)

    assert largest == list(range(4 * 332))
    assert not dag.induced(largest).is_bipartite


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_montage_compares_every_two_images_that_touch(rows, columns):
    places = [(row, column) for row in range(rows) for column in range(columns)]
    touching = [
        {i, j}
        for j, (row, column) in enumerate(places)
        for i, (other_row, other_column) in enumerate(places[:j])
        if max(abs(row - other_row), abs(column - other_column)) == 1
    ]
    dag = montage(rows, columns)
    images = rows * columns
    compared = [set(dag.parents(task).tolist()) for task in range(images, images + len(touching))]

    assert len(dag) == 2 * images + len(touching) + 4
    assert sorted(map(sorted, compared)) == sorted(map(sorted, touching))
    assert parent_names(dag, dag.names[-images - 2]) == {dag.names[0], "mBgModel"}
    assert len(dag.parents(dag.id_of("mConcatFit"))) == len(touching)
    assert [dag.names[sink] for sink in dag.sinks] == ["mJPEG"]


def test_montage_has_a_bipartite_component_of_over_1000_jobs():
    dag = without_arcs(montage(), "mProject", "mBackground")  # shortcuts go first
    largest = dag.induced(component(dag, 0))

    # 1,350 projections and 30 * 44 + 29 * 45 + 2 * 29 * 44 comparisons
    assert len(largest) == 1350 + 5177
    assert largest.is_bipartite
    assert set(largest.out_degrees[:1350].tolist()) == {3, 5, 8}  # corners, edges, inside


@pytest.mark.parametrize("fields", [12, 13, 30])
def test_sdss_sends_each_search_to_the_stripe_of_its_field(fields):
    dag = sdss(fields)
    digits = len(str(29 * fields - 1))

    assert len(dag) == 60 * fields + 13
    assert dag.arc_count == 90 * fields + 12
    assert parent_names(dag, "core_00") == {"field_00", "field_01", f"field_{fields - 1}"}
    assert parent_names(dag, f"search_{30:0{digits}}") == {f"calibration_{30:0{digits}}"}
    assert parent_names(dag, f"calibration_{30:0{digits}}") == {"core_01"}
    assert parent_names(dag, "catalogue") == {f"stripe_{k:02}" for k in range(12)}
    for k in range(12):
        share = sum(i * 12 // fields == k for i in range(fields))
        assert len(dag.parents(dag.id_of(f"stripe_{k:02}"))) == 29 * share > 0


def test_sdss_has_a_bipartite_component_whose_sources_have_three_children():
    dag = sdss()
    largest = dag.induced(component(dag, 0))

    assert len(largest) == 1600
    assert largest.is_bipartite
    assert set(largest.out_degrees[:800].tolist()) == {3}


@pytest.mark.parametrize(
    ("family", "arguments", "message"),
    [
        (airsn, (0,), "argument width: expected a whole number, 1 or more, got 0"),
        (airsn, (5, "fringe"), "argument first: expected fringes or handle, got 'fringe'"),
        (inspiral, (2,), "argument segments: expected a whole number, 3 or more, got 2"),
        (montage, (1, 5), "argument rows: expected a whole number, 2 or more, got 1"),
        (montage, (5, 1), "argument columns: expected a whole number, 2 or more, got 1"),
        (sdss, (11,), "argument fields: expected a whole number, 12 or more, got 11"),
        (airsn, (10**9,), "too large: expected at most 20,000,000 tasks, asked for more"),
        (inspiral, (10**9,), "too large"),
        (montage, (10**9, 10**9), "too large"),
        (sdss, (10**9,), "too large"),
    ],
)
def test_impossible_workflows_are_refused_with_the_argument_named(family, arguments, message):
    with pytest.raises(ArgumentError) as caught:
        family(*arguments)

    assert message in str(caught.value)
