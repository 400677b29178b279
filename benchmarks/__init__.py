"""Steps per second and friends, side by side with other environments: ``basilica bench``.

A *row* is one measurement (:mod:`.rows`). Each row runs in a process of its own with a time limit
(:mod:`.run`, :mod:`.worker`), so a rival that crashes or hangs costs its own row and nothing else.
What is measured stands in :mod:`.measures` for Basilica and in :mod:`.rivals` for the others; how, in
:mod:`.timing`. A run becomes a report (:mod:`.report`), a table (:mod:`.table`) and charts
(:mod:`.charts`). :mod:`.statistics` counts what random games look like.
"""

from basilica_env.benchmarks.command import main

__all__ = ["main"]
