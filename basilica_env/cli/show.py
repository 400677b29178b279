"""Shows a game move by move; shared by the verbs that play one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from basilica_env.core.layout import PLAYERS
from basilica_env.render import areas_table, draw, legend
from basilica_env.render.ansi import KING_SPACES
from basilica_env.render.style import Players
from basilica_env.render.words import move_words, result, scoring_title, squares_of

if TYPE_CHECKING:
    from basilica_env.cli.terminal import Terminal
    from basilica_env.game import Area, GameState


class Show:
    """Writes what happens in a game to standard output.

    Parameters
    ----------
    terminal : Terminal
        What the output can show.
    names : pair of str
        What to call the players.
    moves_only : bool
        One line a move and one a scoring, no boards.
    """

    def __init__(self, terminal: Terminal, names: tuple[str, str], moves_only: bool = False) -> None:
        self.style = terminal.style
        self.labels = names
        self.names = Players.called(names).names
        self.moves_only = moves_only
        self.marks: list[str] = []

    def legend(self) -> None:
        """Explain the signs of the drawings to come."""
        if not self.moves_only:
            print(legend(color=self.style.color, unicode=self.style.unicode), end="\n\n")

    def board(self, state: GameState) -> None:
        """Show the position; the squares of the moves since it was last shown are marked."""
        marks, self.marks = " ".join(self.marks), []
        if not self.moves_only:
            print(
                draw(
                    state,
                    color=self.style.color,
                    unicode=self.style.unicode,
                    names=self.labels,
                    last_move=marks,
                )
            )

    def play(self, state: GameState, move: str, number: int, reshuffled: Sequence[str] | None = None) -> None:
        """Play a legal move in `state` and say what it did.

        Parameters
        ----------
        state : GameState
            The position, changed in place.
        move : str
            Move text.
        number : int
            How many moves into the game, from 1.
        reshuffled : sequence of str, optional
            The new stack, if the move reshuffles and its order is known.
        """
        line = f"{number:>3}  {self.names[state.player]}  {move}: {move_words(state, move)}"
        print(line if self.moves_only else self.style.rule(line.strip()))
        self.marks += squares_of(state, move)
        before = state.view()
        areas = state.scoring_of(move)
        state.play(move, reshuffled)
        if areas is not None:
            self.marks.clear()
            self._scoring(state, areas, scoring_title(state, before.king))
        if state.view().reshuffled and not before.reshuffled:
            print("The discard pile is the new stack; when that is empty, the game ends (R7).")
        if state.is_over and state.king < KING_SPACES:
            print("A tile is needed and none is left to draw: the game ends (R7.2).")

    def _scoring(self, state: GameState, areas: list[Area], title: str) -> None:
        first, second = state.scores
        if self.moves_only:
            gained = ":".join(str(sum(area.points[player] for area in areas)) for player in range(PLAYERS))
            print(f"     {title}; {gained}, now {first}:{second}")
        else:
            print(self.style.paint(title, "bold"), self.table(areas), sep="\n")
            print(f"  Score now {first}:{second}", end="\n\n")

    def table(self, areas: list[Area]) -> str:
        """Show who scores what in each area."""
        return areas_table(areas, color=self.style.color, unicode=self.style.unicode, names=self.labels)

    def result(self, state: GameState) -> None:
        """Say how a finished game ended, unless the last board says so."""
        if self.moves_only:
            print(f"Result: {result(state.scores, self.names)}")
