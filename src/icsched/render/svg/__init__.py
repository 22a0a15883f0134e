"""Pictures of dags, orders and runs: drawn once as shapes, written as SVG or painted as PNG."""

from icsched.render.svg.curves import curves_drawing
from icsched.render.svg.dags import dag_drawing
from icsched.render.svg.lanes import lanes_drawing
from icsched.render.svg.ratios import ratios_drawing
from icsched.render.svg.shapes import Drawing
from icsched.render.svg.writing import svg_text

__all__ = [
    "Drawing",
    "curves_drawing",
    "dag_drawing",
    "lanes_drawing",
    "ratios_drawing",
    "svg_text",
]
