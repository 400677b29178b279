"""Matches and tournaments of agents, and what they say about strength.

Examples
--------
>>> from basilica_env.arena import play_match
>>> result = play_match("greedy", "random", games=4, seed=1)
>>> result.games
4
"""

from basilica_env.arena.dataset import BuildProgress, Dataset, build_dataset
from basilica_env.arena.findings import Findings
from basilica_env.arena.folder import MatchError
from basilica_env.arena.game import Conditions, Outcome, Spent, Task, play_game
from basilica_env.arena.match import play_match
from basilica_env.arena.part import DatasetError
from basilica_env.arena.report import ReportError, write_report
from basilica_env.arena.scoreboard import MatchResult, Progress, Tally
from basilica_env.arena.statistics import Estimate, Sprt
from basilica_env.arena.study import StudyResult, play_study
from basilica_env.arena.tournament import TournamentResult, play_tournament

__all__ = [
    "BuildProgress",
    "Conditions",
    "Dataset",
    "DatasetError",
    "Estimate",
    "Findings",
    "MatchError",
    "MatchResult",
    "Outcome",
    "Progress",
    "ReportError",
    "Spent",
    "Sprt",
    "StudyResult",
    "Tally",
    "Task",
    "TournamentResult",
    "build_dataset",
    "play_game",
    "play_match",
    "play_study",
    "play_tournament",
    "write_report",
]
