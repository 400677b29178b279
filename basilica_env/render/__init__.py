"""Drawings of a game; each takes a ``GameState`` and gives text."""

from basilica_env.render.ansi import draw, legend
from basilica_env.render.raster import png, rasterise
from basilica_env.render.scoring import areas_table
from basilica_env.render.svg import draw_svg

__all__ = ["areas_table", "draw", "draw_svg", "legend", "png", "rasterise"]
