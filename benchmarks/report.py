"""A run as a JSON file, and as text in a page.

The file
--------
===============  =====================================================================================
key              value
===============  =====================================================================================
``format``       ``"basilica-bench 1"``
``command``      the command that made the file
``date``         when the run ended, UTC, ISO 8601
``machine``      processor, cores, memory in GiB, frequency governor, system, load average; null: not told
``versions``     version of Python and of each distribution that matters
``repeats``      timed repeats of a row
``seconds``      least length of a repeat
``interrupted``  whether rows are missing because the run was interrupted
``rows``         a list; see :class:`~basilica_env.benchmarks.run.Result` for the keys, to which
                 ``median``, ``low`` and ``high`` of the repeats are added (null unless measured)
===============  =====================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from basilica_env.benchmarks.rows import GROUPS, OWN, more_is_better
from basilica_env.benchmarks.run import ABSENT, FAILED, LATE, MEASURED, Result
from basilica_env.files import named, write_text

FORMAT = "basilica-bench 1"
"""Marks a report; the number changes when a key changes its meaning."""


class ReportError(ValueError):
    """A file that is no report, or a page without the block to fill."""


@dataclass(frozen=True)
class Report:
    """A run: its rows, and what they were measured on. The fields are the keys of the file."""

    command: str
    date: str
    machine: dict[str, Any]
    versions: dict[str, str]
    repeats: int
    seconds: float
    interrupted: bool
    rows: list[Result]


def _row_facts(result: Result) -> dict[str, Any]:
    values = result.values
    spread = {"median": result.median, "low": min(values), "high": max(values)} if values else {}
    return asdict(result) | {"median": None, "low": None, "high": None} | spread


def write_report(path: Path, report: Report) -> None:
    """Write a report to a JSON file."""
    facts = {"format": FORMAT} | asdict(report) | {"rows": [_row_facts(row) for row in report.rows]}
    write_text(path, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


def read_report(path: Path) -> Report:
    """Read a report.

    Raises
    ------
    ReportError
        If the file is no report; the message names the file, the key and what is right.
    OSError
        If it cannot be read.
    """
    try:
        facts = json.loads(named(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ReportError(
            f"{path} is not JSON: {error}; expected a file written by 'basilica bench --json'"
        ) from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        found = facts.get("format") if isinstance(facts, dict) else type(facts).__name__
        raise ReportError(
            f"{path} has format {found!r}: expected {FORMAT!r}, as 'basilica bench --json' writes"
        )
    kinds = {
        "command": str,
        "date": str,
        "machine": dict,
        "versions": dict,
        "repeats": int,
        "seconds": (int, float),
        "interrupted": bool,
        "rows": list,
    }
    _check_keys(facts, kinds, str(path))
    results = [_read_row(row, f"{path}, row {number}") for number, row in enumerate(facts["rows"], 1)]
    return Report(**{key: facts[key] for key in kinds} | {"rows": results})


def _check_keys(facts: Any, kinds: dict[str, Any], where: str) -> None:
    if not isinstance(facts, dict):
        raise ReportError(f"{where} is {facts!r}: expected an object with the keys {', '.join(kinds)}")
    for key, kind in kinds.items():
        if key not in facts:
            raise ReportError(f"{where} lacks the key {key!r}: expected {', '.join(kinds)}")
        if not isinstance(facts[key], kind):
            raise ReportError(f"{where} has {facts[key]!r} under {key!r}: expected another type")


def _read_row(facts: Any, where: str) -> Result:
    kinds = {
        "name": str,
        "what": str,
        "unit": str,
        "system": str,
        "status": str,
        "values": list,
        "ready": (int, float, type(None)),
        "note": str,
        "arguments": dict,
    }
    _check_keys(facts, kinds, where)
    statuses = (MEASURED, ABSENT, FAILED, LATE)
    if facts["status"] not in statuses:
        raise ReportError(f"{where} has status {facts['status']!r}: expected one of {', '.join(statuses)}")
    numbers = all(isinstance(value, (int, float)) and value > 0 for value in facts["values"])
    if not numbers or bool(facts["values"]) != (facts["status"] == MEASURED):
        raise ReportError(
            f"{where} has values {facts['values']!r}: expected positive numbers if it was measured, else none"
        )
    return Result(**{key: facts[key] for key in kinds})


# --- Figures as text -----------------------------------------------------------------------------


def figure(value: float) -> str:
    """Write a number with three digits that count: ``6.21 M``, ``412 k``, ``0.0931``."""
    for size, sign in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if abs(value) >= size:
            scale = 1e3 if sign == " k" else size
            return f"{_three_digits(value / scale)}{sign}"
    return _three_digits(value)


def _three_digits(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3g}"


HEADINGS = ("row", "games", "threads", "median", "least – most", "unit", "ready (s)")
"""Columns of the table."""

TEXTS = ("row", "unit")
"""Those that hold words, not numbers."""


def cells(result: Result) -> tuple[str, ...]:
    """Return a row of the table, a text for each of the headings."""
    label = f"{result.system}: {result.what}"
    games, threads = (str(result.arguments.get(key, "")) for key in ("games", "threads"))
    ready = "" if result.ready is None else f"{result.ready:.1f}"
    if result.status != MEASURED:
        return (label, games, threads, result.status, result.note, "", ready)
    low, high = min(result.values), max(result.values)
    spread = f"{figure(low)} – {figure(high)}" if low < high else ""
    return (label, games, threads, figure(result.median), spread, result.unit, ready)


def columns(results: list[Result]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the headings and the cells of a group of rows, without the columns that are empty."""
    table = [cells(result) for result in results]
    kept = [index for index in range(len(HEADINGS)) if any(row[index] for row in table)]
    return tuple(HEADINGS[index] for index in kept), [tuple(row[index] for index in kept) for row in table]


def by_group(results: list[Result]) -> list[tuple[str, list[Result]]]:
    """Return the titles of the groups with their rows, in the order of the table."""
    titles = dict(GROUPS)
    for result in results:
        titles.setdefault(result.group, result.group)
    found = [(title, [row for row in results if row.group == group]) for group, title in titles.items()]
    return [(title, rows) for title, rows in found if rows]


def conditions(report: Report) -> str:
    """Say in one paragraph what the figures were measured on, with what, and how."""
    told = report.machine
    parts = [f"{told.get('processor')}, {told.get('cores')} cores"]
    if told.get("memory_gib"):
        parts.append(f"{told['memory_gib']} GiB of memory")
    parts.append(f"{told.get('system')}")
    parts.append(f"frequency governor {told.get('governor') or 'not told'}")
    if told.get("load") is not None:
        parts.append(f"load average at the start {told['load']}")
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return (
        f"{report.date}; {'; '.join(parts)}. {versions}. "
        f"Median of {report.repeats} repeats of at least {report.seconds:g} s, with the least and the most."
    )


def markdown(report: Report, charts: Sequence[str] = ()) -> str:
    """Write a report as a section of a page: conditions, command, a table a group, and the charts.

    ``charts`` are their addresses as the page links to them.
    """
    lines = [conditions(report), "", "```console", f"$ {report.command}", "```"]
    if report.interrupted:
        lines += ["", "The run was interrupted: rows are missing."]
    for title, results in by_group(report.rows):
        if title == GROUPS["growth"]:
            continue  # drawn, not listed
        headings, table = columns(results)
        rules = tuple("---" if heading in TEXTS else "---:" for heading in headings)
        lines += ["", f"### {title}", "", _line(headings), _line(rules), *(_line(row) for row in table)]
    if charts:
        lines += ["", f"### {GROUPS['growth']}"]
    for chart in charts:
        lines += ["", f"![How time a step grows]({chart})"]
    return "\n".join(lines)


def _line(parts: tuple[str, ...]) -> str:
    return "| " + " | ".join(part.replace("|", "\\|") for part in parts) + " |"


def fill(path: Path, block: str, text: str) -> None:
    """Put text into a block of a page: between ``<!-- generated: block -->`` and ``<!-- end -->``.

    Raises
    ------
    ReportError
        If the page does not have the block once.
    """
    begin, end = f"<!-- generated: {block} -->", "<!-- end -->"
    before, found, rest = named(path).read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended or begin in after:
        raise ReportError(f"{path} does not have one block from {begin} to {end}")
    write_text(path, f"{before}{begin}\n\n{text}\n\n{end}{after}")


# --- Two runs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One row in two runs.

    Attributes
    ----------
    name, unit, system : str
        The row.
    old, new : float
        The medians; ``new`` is None where the row failed.
    ratio : float or None
        How much better the new run is: above 1 better, below 1 worse, for speeds and times alike.
    """

    name: str
    unit: str
    system: str
    old: float
    new: float | None
    ratio: float | None

    def is_worse(self, threshold: float) -> bool:
        """Tell whether a row of Basilica fails now or fell below the threshold.

        The other systems are there to tell a slower Basilica from a slower machine.
        """
        return self.system == OWN and (self.ratio is None or self.ratio < threshold)


def compare(old: Report, new: Report) -> list[Change]:
    """Return the change of each row of the new run that the old one has, too.

    A row that is absent in the new run (its system is not installed) is left out; one that failed in
    it is kept, without a ratio.
    """
    earlier = {row.name: row for row in old.rows if row.status == MEASURED}
    changes = []
    for row in new.rows:
        if row.name not in earlier or row.status == ABSENT:
            continue
        before = earlier[row.name].median
        if row.status != MEASURED:
            changes.append(Change(row.name, row.unit, row.system, before, None, None))
            continue
        ratio = row.median / before if more_is_better(row.unit) else before / row.median
        changes.append(Change(row.name, row.unit, row.system, before, row.median, ratio))
    return changes
