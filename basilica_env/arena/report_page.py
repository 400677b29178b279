"""A report as one HTML page.

Everything is in it: the charts and the library that draws them, and the games that it replays. A policy in
its head allows no other script than its own, and no network.
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import count
from typing import Any

from basilica_env.arena.report_charts import as_json
from basilica_env.arena.report_sections import Chart, Section, Table
from basilica_env.render.page import embedded, policy_source
from basilica_env.render.style import printable

_PLACE = re.compile("{{(policy|title|facts|contents|sections|examples|notes|charts|replays|library)}}")
_SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A game that the page replays.

    Attributes
    ----------
    game : int
        Its number in the data set.
    reason : str
        Why it is worth seeing.
    words : str
        Who played, and how it ended.
    page : str
        The page that replays it.
    """

    game: int
    reason: str
    words: str
    page: str


@dataclass(frozen=True)
class Report:
    """What a page says.

    Attributes
    ----------
    title : str
    facts : sequence of str
        The most important findings, a sentence each.
    sections : sequence of Section
    examples : sequence of Example
    notes : sequence of str
        What the reader should know of the games.
    """

    title: str
    facts: Sequence[str]
    sections: Sequence[Section]
    examples: Sequence[Example]
    notes: Sequence[str]


def report_page(report: Report) -> str:
    """Return a report as a page.

    Names of agents and files are data in it: they cannot become markup or scripts.
    """
    from plotly.offline import get_plotlyjs

    template = (resources.files("basilica_env") / "data" / "report.html").read_text(encoding="utf-8")
    charts: dict[str, Any] = {}
    library = get_plotlyjs()
    parts = {
        "title": _text(report.title),
        "facts": "".join(f"<li>{_text(fact)}</li>" for fact in report.facts),
        "contents": "".join(_link(number, section.title) for number, section in enumerate(report.sections)),
        "sections": "".join(
            _section(number, section, charts) for number, section in enumerate(report.sections)
        ),
        "examples": "".join(_example(number, example) for number, example in enumerate(report.examples)),
        "notes": "".join(f"<li>{_text(note)}</li>" for note in report.notes),
        "charts": embedded(charts),
        "replays": embedded([_packed(example.page) for example in report.examples]),
        "library": library,
    }
    (own,) = (script for script in _SCRIPT.findall(template) if not script.startswith("{{"))
    parts["policy"] = _policy([own, library, *_scripts_of(report.examples)])
    return _PLACE.sub(lambda match: parts[match[1]], template)


def _policy(scripts: Sequence[str]) -> str:
    """Allow these scripts, by their digests; styles, which the library writes; and nothing from elsewhere."""
    allowed = " ".join(dict.fromkeys(map(policy_source, scripts)))
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {allowed}"


def _scripts_of(examples: Sequence[Example]) -> Iterator[str]:
    """Yield the script of the pages that replay a game: they are shown within this one, by its policy."""
    for example in examples:
        yield from _SCRIPT.findall(example.page)


def _text(text: str) -> str:
    return escape(printable(text))


def _packed(page: str) -> str:
    return base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode()


def _link(number: int, title: str) -> str:
    return f'<li><a href="#section-{number}">{_text(title)}</a></li>'


def _section(number: int, section: Section, charts: dict[str, Any]) -> str:
    """Write a section and put its charts where the script finds them."""
    figures = "".join(
        _chart(f"chart-{number}-{place}", chart, charts) for place, chart in enumerate(section.charts)
    )
    seen = "".join(_table(table) for table in section.tables if table.is_open)
    hidden = "".join(_table(table) for table in section.tables if not table.is_open)
    numbers = f"<details><summary>Numbers</summary>{hidden}</details>" if hidden else ""
    return (
        f'<section id="section-{number}"><h2>{_text(section.title)}</h2><p>{_text(section.words)}</p>'
        f'{seen}<div class="figures">{figures}</div>{numbers}</section>'
    )


def _chart(name: str, chart: Chart, charts: dict[str, Any]) -> str:
    charts[name] = as_json(chart.figure)
    height = charts[name]["layout"]["height"]
    title = _text(chart.title)
    return (
        f"<figure><figcaption>{title} <small>{_text(chart.unit)}</small></figcaption>"
        f'<div class="legend"></div><div class="chart" id="{name}" style="min-height:{height}px" role="img" '
        f'aria-label="{title}"></div></figure>'
    )


def _table(table: Table) -> str:
    caption = f"<caption>{_text(table.title)}</caption>" if table.title else ""
    head = "".join(f'<th scope="col"><span>{_text(column)}</span></th>' for column in table.columns)
    shades = table.shades or [[0.0] * len(row) for row in table.rows]
    rows = "".join(map(_row, table.rows, shades))
    return (
        f'<div class="table" tabindex="0"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(texts: Sequence[str], shades: Sequence[float]) -> str:
    return f"<tr>{''.join(map(_cell, texts, count(), shades))}</tr>"


def _cell(text: str, place: int, shade: float) -> str:
    """Write a cell; further lines of its text are small, and its shade is that of one side or the other."""
    first, *more = text.split("\n")
    small = "".join(f"<small>{_text(line)}</small>" for line in more)
    if place == 0:
        return f'<th scope="row"><span>{_text(first)}</span>{small}</th>'
    side = "good" if shade > 0 else "bad"
    style = f' class="{side}" style="--shade:{abs(shade):.2f}"' if shade else ""
    return f"<td{style}>{_text(first)}{small}</td>"


def _example(number: int, example: Example) -> str:
    return (
        f'<li><button type="button" data-replay="{number}">{_text(example.reason)}</button> '
        f"<span>game {example.game}: {_text(example.words)}</span></li>"
    )
