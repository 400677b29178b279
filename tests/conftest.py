"""Tells at the end of a run, for all processes together, how often the compared games met each rule."""

from __future__ import annotations

import signal
from collections import Counter

import pytest

from basilica_env.reference import CLAUSES

# A run in the background of a script is started with Ctrl-C ignored, and so would be what the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    fired: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        fired.update(dict(report.user_properties).get("clauses", {}))
    if fired:
        terminalreporter.section("How often the games that both engines played met each clause")
        for clause in CLAUSES:
            terminalreporter.line(f"{fired[clause]:>12,}  {clause}")
