"""A recorded game as one HTML file that opens without a network.

The file holds every part of every drawing once, and for each position the numbers of its parts.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from basilica_env.files import replacing
from basilica_env.render.frames import Scoring, caption, frames
from basilica_env.render.panel import GAP
from basilica_env.render.panel import X as PANEL
from basilica_env.render.style import Players, printable
from basilica_env.render.svg import WIDTH, describe, drawing_parts, svg_element
from basilica_env.render.theme import DARK, LIGHT, SYMBOLIC
from basilica_env.render.words import COLOUR_NAMES

if TYPE_CHECKING:
    from basilica_env.game import Area
    from basilica_env.records import GameRecord

_PLACE = re.compile("{{(title|subtitle|policy|scorings|headers|game)}}")
_PARTS = "{{parts}}"


def write_page(path: str | os.PathLike[str], record: GameRecord) -> None:
    """Write a recorded game as a page to step through. A file of this name is replaced.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    page = replay_page(record)
    with replacing(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")


def replay_page(record: GameRecord) -> str:
    """Return a recorded game as a page to step through.

    Names and comments are data in it: they cannot become markup or scripts, and nothing is fetched.
    """
    shown, scorings = _game(record)
    title = " – ".join(printable(name) for name in record.players)
    first, second = record.scores
    parts = {
        "title": escape(title),
        "subtitle": escape(f"{first}:{second}, {printable(record.termination)}, {record.date}"),
        "scorings": "".join(scorings),
        "headers": "".join(
            f"<dt>{escape(name)}</dt><dd>{escape(printable(value))}</dd>" for name, value in _headers(record)
        ),
        "game": embedded(shown),
    }
    template = (resources.files("basilica_env") / "data" / "replay.html").read_text(encoding="utf-8")
    parts["policy"] = _policy(template)
    return _PLACE.sub(lambda match: parts[match[1]], template)


def _policy(template: str) -> str:
    """Allow the page's own style and script, by their digests, and nothing else."""

    def digest(tag: str) -> str:
        (source,) = re.findall(f"<{tag}>(.*?)</{tag}>", template, re.DOTALL)
        return policy_source(source)

    return f"default-src 'none'; style-src {digest('style')}; script-src {digest('script')}"


def policy_source(text: str) -> str:
    """Return what allows just this style or script in a content policy, by its digest."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def embedded(content: Any) -> str:
    """Return JSON that may stand within a script of a page."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _headers(record: GameRecord) -> list[tuple[str, str]]:
    seed = "?" if record.seed is None else str(record.seed)
    return [
        ("Player 0", record.players[0]),
        ("Player 1", record.players[1]),
        ("Result", record.result),
        ("Termination", record.termination),
        ("Seed", seed),
        ("Date", record.date),
        ("Tiles", record.tiles.name),
        *record.headers.items(),
    ]


def _game(record: GameRecord) -> tuple[dict[str, Any], list[str]]:
    """Return what the page's script shows, and the table of each scoring."""
    names = Players.called(record.players).names
    numbers: dict[str, int] = {}
    shown, tables = [], []
    for number, frame in enumerate(frames(record)):
        drawing = drawing_parts(
            frame.state, SYMBOLIC, last_move=frame.marks, areas=True, names=record.players
        )
        shown.append(
            {
                "parts": [numbers.setdefault(part, len(numbers)) for part in drawing],
                "label": describe(frame.state, record.players),
                "player": frame.player,
                "words": frame.words,
                "caption": caption(frame, number, names),
                "scoring": frame.scoring is not None,
                "comment": printable(frame.comment),
            }
        )
        if frame.scoring is not None:
            tables.append(_table(frame.scoring, number))
    game = {
        "parts": list(numbers),
        "frames": shown,
        "whole": [_around(0, WIDTH)],
        "halves": [_around(0, PANEL - GAP), _around(PANEL - GAP, WIDTH)],
        "themes": {"light": LIGHT._asdict(), "dark": DARK._asdict()},
    }
    return game, tables


def _around(left: int, right: int) -> tuple[str, str]:
    """Return what comes before and after the parts of a drawing, to show a strip of it."""
    head, tail = svg_element([_PARTS], "", strip=(left, right)).split(_PARTS)
    return head, tail


def _table(scoring: Scoring, number: int) -> str:
    """Write the breakdown of a scoring by area (R8)."""
    contested = [area for area in scoring.areas if any(area.builders)]
    empty = len(scoring.areas) - len(contested)
    head = "".join(f'<th scope="col">{title}</th>' for title in ("Area", "Tiles", "Strength", "Points"))
    rows = "".join(map(_row, contested))
    if empty:
        rows += f'<tr><td colspan="4">{empty} without a builder</td></tr>'
    foot = f'<tr><td colspan="3">Score now {_pair(scoring.scores)}</td><td>{_pair(scoring.points)}</td></tr>'
    return (
        f'<div class="scoring" data-frame="{number}" hidden><table><caption>{escape(scoring.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _row(area: Area) -> str:
    notes = [" ".join(area.squares)]
    if any(area.strongmen):
        notes.append(f"Strongmen {_pair(area.strongmen)}")
    if area.architect:
        notes.append("doubled by an Architect")
    if area.glass:
        notes.append(f"stained glass: {area.glass}")
    figures = (str(area.size), _pair(area.strength), _pair(area.points))
    return (
        f"<tr><td>{COLOUR_NAMES[area.colour]}<small>{'; '.join(notes)}</small></td>"
        + "".join(f"<td>{text}</td>" for text in figures)
        + "</tr>"
    )


def _pair(pair: tuple[int, int]) -> str:
    return f"{pair[0]}:{pair[1]}"
