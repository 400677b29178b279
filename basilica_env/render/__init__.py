"""Drawings of a game: a position as text, as SVG or as pixels, a recorded game as a film or a page."""

from basilica_env.render.ansi import draw, legend
from basilica_env.render.film import write_gif, write_mp4
from basilica_env.render.page import write_page
from basilica_env.render.raster import png, rasterise
from basilica_env.render.scoring import areas_table
from basilica_env.render.svg import draw_svg

__all__ = [
    "areas_table",
    "draw",
    "draw_svg",
    "legend",
    "png",
    "rasterise",
    "write_gif",
    "write_mp4",
    "write_page",
]
