"""Drawings of a game; each takes a ``GameState`` and gives text."""

from basilica_env.render.ansi import draw, legend
from basilica_env.render.scoring import areas_table

__all__ = ["areas_table", "draw", "legend"]
