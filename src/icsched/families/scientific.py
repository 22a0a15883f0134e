"""Four scientific dags, as families that scale.

They are from Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing DAGMan Jobs and
its Evaluation", section 3.3. The paper states their sizes and the shape of their largest
components, but draws only AIRSN. The arcs of the other three are chosen to match the paper. The
name of a task is a stage and a number of fixed width. Tasks are numbered stage by stage.
"""

from collections.abc import Mapping

import numpy as np

from icsched import checks
from icsched.dag import Dag
from icsched.families.arcs import Ints, check_least, check_size, paired

HANDLE = 21  # tasks of an AIRSN handle: "about twenty", and 3 * 250 + 2 + 21 = 773
CALIBRATIONS = 29  # SDSS calibrations, and searches, per field
STRIPES = 12


def airsn(width: int = 250, first: str = "fringes") -> Dag[str]:
    """AIRSN, an fMRI workflow, the double umbrella with fringes: 3 * width + 23 tasks.

    The handle is a chain of 21 tasks. Each of *width* tasks of the first cover has two parents:
    the end of the handle, and a fringe of its own. Then come join_1, the second cover and join_2.
    *first*, fringes or handle, says which sources are numbered first. Malewicz et al. 2007, Fig.
    5. Raises ArgumentError unless width >= 1.

    >>> airsn()
    Dag(tasks=773, arcs=1270)
    """
    check_least(1, width=width)
    checks.one_of("argument first", first, ["fringes", "handle"])
    check_size(3 * width + HANDLE + 2, 5 * width + HANDLE - 1)
    heads = {"fringe": width, "handle": HANDLE}
    if first == "handle":
        heads = dict(reversed(heads.items()))
    rest = {"cover_1": width, "join_1": None, "cover_2": width, "join_2": None}
    ids, names = _stages({**heads, **rest})
    arcs = [
        paired(ids["handle"][:-1], ids["handle"][1:]),
        paired(ids["handle"][-1], ids["cover_1"]),
        paired(ids["fringe"], ids["cover_1"]),
        paired(ids["cover_1"], ids["join_1"]),
        paired(ids["join_1"], ids["cover_2"]),
        paired(ids["cover_2"], ids["join_2"]),
    ]
    return Dag.from_arcs(len(names), np.concatenate(arcs), names=names)


def inspiral(segments: int = 332) -> Dag[str]:
    """Inspiral, a search for gravitational waves: 9 * segments tasks in a ring.

    A segment finds its data and a template bank. It filters the data with the banks of its two
    neighbours, and checks coincidence with the next segment. It repeats that with a new bank.
    The first four stages are one component that is not bipartite, 1,328 tasks by default.
    Raises ArgumentError unless segments >= 3.

    >>> inspiral()
    Dag(tasks=2988, arcs=3984)
    """
    check_least(3, segments=segments)
    check_size(9 * segments, 12 * segments)
    stages = ["datafind", "tmpltbank", "inspiral_a", "inspiral_b", "thinca"]
    stages += ["trigbank", "inspiral2_a", "inspiral2_b", "thinca2"]
    ids, names = _stages(dict.fromkeys(stages, segments))
    following = {stage: np.roll(tasks, -1) for stage, tasks in ids.items()}
    preceding = {stage: np.roll(tasks, 1) for stage, tasks in ids.items()}
    arcs = [
        paired(ids["datafind"], ids["tmpltbank"]),
        paired(ids["datafind"], ids["inspiral_a"]),
        paired(following["tmpltbank"], ids["inspiral_a"]),
        paired(ids["datafind"], ids["inspiral_b"]),
        paired(preceding["tmpltbank"], ids["inspiral_b"]),
        paired(ids["inspiral_a"], ids["thinca"]),
        paired(following["inspiral_b"], ids["thinca"]),
        paired(ids["thinca"], ids["trigbank"]),
        paired(ids["trigbank"], ids["inspiral2_a"]),
        paired(ids["trigbank"], ids["inspiral2_b"]),
        paired(ids["inspiral2_a"], ids["thinca2"]),
        paired(following["inspiral2_b"], ids["thinca2"]),
    ]
    return Dag.from_arcs(len(names), np.concatenate(arcs), names=names)


def montage(rows: int = 30, columns: int = 45) -> Dag[str]:
    """Montage, a sky mosaic of rows x columns images: 7,881 tasks by default.

    Each image is projected. Every two images that touch at a side or a corner are compared. All
    comparisons make a background model, which corrects each image. The arc from the projection of
    an image to its correction is a shortcut. Then all images are added. The projections and
    comparisons are one bipartite component. Raises ArgumentError unless rows, columns >= 2.

    >>> montage()
    Dag(tasks=7881, arcs=19583)
    """
    check_least(2, rows=rows, columns=columns)
    images = rows * columns
    comparisons = 4 * images - 3 * (rows + columns) + 2
    check_size(2 * images + comparisons + 4, 3 * images + 3 * comparisons + 2)
    left, right = _touching(rows, columns)
    ids, names = _stages(
        {"mProject": images, "mDiffFit": comparisons, "mConcatFit": None, "mBgModel": None}
        | {"mBackground": images, "mAdd": None, "mJPEG": None}
    )
    arcs = [
        paired(left, ids["mDiffFit"]),
        paired(right, ids["mDiffFit"]),
        paired(ids["mDiffFit"], ids["mConcatFit"]),
        paired(ids["mConcatFit"], ids["mBgModel"]),
        paired(ids["mBgModel"], ids["mBackground"]),
        paired(ids["mProject"], ids["mBackground"]),
        paired(ids["mBackground"], ids["mAdd"]),
        paired(ids["mAdd"], ids["mJPEG"]),
    ]
    return Dag.from_arcs(len(names), np.concatenate(arcs), names=names)


def sdss(fields: int = 800) -> Dag[str]:
    """SDSS, a search for galaxy clusters on a ring of fields: 60 * fields + 13 tasks.

    The core of a field needs the field and its two neighbours. It feeds 29 calibrations, each
    with its own search. Twelve stripes collect the searches, and one catalogue collects the
    stripes. Fields and cores are one bipartite component, 1,600 tasks by default, in which
    every source has three children. Raises ArgumentError unless fields >= 12.

    >>> sdss()
    Dag(tasks=48013, arcs=72012)
    """
    check_least(STRIPES, fields=fields)
    each = CALIBRATIONS * fields
    check_size(2 * fields + 2 * each + STRIPES + 1, 3 * fields + 3 * each + STRIPES)
    ids, names = _stages(
        {"field": fields, "core": fields, "calibration": each, "search": each}
        | {"stripe": STRIPES, "catalogue": None}
    )
    stripe_of_search = np.repeat(np.arange(fields) * STRIPES // fields, CALIBRATIONS)
    arcs = [
        *(paired(ids["field"], np.roll(ids["core"], step)) for step in (-1, 0, 1)),
        paired(np.repeat(ids["core"], CALIBRATIONS), ids["calibration"]),
        paired(ids["calibration"], ids["search"]),
        paired(ids["search"], ids["stripe"][stripe_of_search]),
        paired(ids["stripe"], ids["catalogue"]),
    ]
    return Dag.from_arcs(len(names), np.concatenate(arcs), names=names)


def _stages(sizes: Mapping[str, int | None]) -> tuple[dict[str, Ints], list[str]]:
    # A stage of size None is one task, named as the stage, without a number.
    ids: dict[str, Ints] = {}
    names: list[str] = []
    for stage, size in sizes.items():
        ids[stage] = len(names) + np.arange(1 if size is None else size)
        names += [stage] if size is None else _numbered(stage, size)
    return ids, names


def _numbered(stage: str, size: int) -> list[str]:
    digits = len(str(size - 1))
    return [f"{stage}_{number:0{digits}}" for number in range(size)]


def _touching(rows: int, columns: int) -> tuple[Ints, Ints]:
    # Pairs of images, each once, sorted: right, and below to the left, straight, to the right.
    image = np.arange(rows * columns).reshape(rows, columns)
    pairs = np.concatenate(
        [
            paired(image[:, :-1], image[:, 1:]),
            paired(image[:-1, 1:], image[1:, :-1]),
            paired(image[:-1], image[1:]),
            paired(image[:-1, :-1], image[1:, 1:]),
        ]
    )
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return pairs[order, 0], pairs[order, 1]
