"""What pictures show, as data: dags in layers, curves, and runs as lanes. Nothing is drawn here."""

from icsched.pictures.curves import Curve, curve_of
from icsched.pictures.grouping import Groups, few_kinds, groups_of, main_kinds
from icsched.pictures.lanes import Lanes, recorded_lanes, run_lanes
from icsched.pictures.layout import Placed, placed
from icsched.pictures.scene import MOST_DRAWN, DagPicture, dag_picture

__all__ = [
    "MOST_DRAWN",
    "Curve",
    "DagPicture",
    "Groups",
    "Lanes",
    "Placed",
    "curve_of",
    "dag_picture",
    "few_kinds",
    "groups_of",
    "main_kinds",
    "placed",
    "recorded_lanes",
    "run_lanes",
]
