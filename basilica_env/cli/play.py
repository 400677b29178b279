"""``basilica play``: a person against an agent, in the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from basilica_env.cli.game import agent_move, agent_of, check_writable, derived, new_game, write_game
from basilica_env.cli.show import Show
from basilica_env.cli.terminal import (
    Failure,
    Terminal,
    add_drawing_options,
    add_seed_option,
    add_tiles_option,
    add_verb,
    ask,
    new_seed,
)
from basilica_env.render.style import WIDTH, printable
from basilica_env.render.words import explanation, move_words, order_title, rank_name

if TYPE_CHECKING:
    from basilica_env.agents import Agent
    from basilica_env.game import GameState

PERSON = "human"
PROMPT = "> "
LABEL = 15

_HELP = """\
Type a move, or its number in the list. And besides:
  ?          explain the decision and its rule
  moves      list the legal moves again
  board      draw the position again
  areas      what each area would score now
  hint       what the greedy player would do
  undo       take back your last decision
  save FILE  write the record of the game so far
  quit       leave the game"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "play",
        "play against an agent in the terminal",
        "Play against an agent. At the prompt, '?' explains what is to be decided.",
        (
            ("basilica play", "you begin, a greedy player answers"),
            ("basilica play --seat 1 --seed 7", "the greedy player begins"),
            ("basilica play --agent random", "an opponent that does not think"),
        ),
    )
    parser.add_argument("--agent", default="greedy", metavar="SPEC", help="the opponent (default: greedy)")
    parser.add_argument(
        "--seat", choices=("0", "1", "random"), default="0", help="your seat; 0 begins (default: 0)"
    )
    add_seed_option(parser)
    parser.add_argument("--position", metavar="TEXT", help="start from a position text instead of a new game")
    add_tiles_option(parser)
    add_drawing_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play a game with the person at the terminal.

    Raises
    ------
    Misuse
        The agent or the position does not exist.
    Failure
        The tile set has a fault.
    """
    seed = new_seed() if options.seed is None else options.seed
    seat = derived(seed, 2) % 2 if options.seat == "random" else int(options.seat)
    agent = agent_of(options.agent, derived(seed, 1 - seat))
    state = new_game(seed, options.tiles, options.position)
    names = (PERSON, agent.name) if seat == 0 else (agent.name, PERSON)
    if sys.stdin.isatty():
        _edit_lines()
    show = Show(Terminal.of(options), names)
    print(f"You are player {seat}. Seed {seed}. 'help' lists what you can type.\n")
    Session(state, agent, seat, show, seed, dealt=options.position is None).run()
    return 0


def _edit_lines() -> None:
    """Let the person edit the line and go back to earlier ones, where the system can do it."""
    try:
        import readline  # noqa: F401
    except ImportError:
        return


class Session:
    """One game between a person and an agent, with the way back.

    Parameters
    ----------
    state : GameState
        Where the game starts.
    agent : Agent
        The opponent.
    seat : int
        The person's.
    show : Show
        Where everything is shown.
    seed : int
        Of the game, and of the hints.
    dealt : bool
        The game was dealt from the seed, not set up.
    """

    def __init__(
        self, state: GameState, agent: Agent, seat: int, show: Show, seed: int, dealt: bool = True
    ) -> None:
        self.state = state
        self.first = state.copy()
        self.agent = agent
        self.seat = seat
        self.show = show
        self.seed = seed
        self.dealt = dealt
        self.moves: list[str] = []
        self.decisions: list[tuple[GameState, int]] = []
        """The position before each move of the person, and how many moves had been made."""
        self.saved: set[Path] = set()
        self.commands: dict[str, Callable[[], None]] = {
            "?": self.explain,
            "help": lambda: print(_HELP),
            "moves": lambda: print(menu(self.state)),
            "board": lambda: self.show.board(self.state),
            "areas": self.areas,
            "hint": self.hint,
            "undo": self.undo,
        }

    def run(self) -> None:
        """Play until the game is over or the person leaves; the end of the input (Ctrl-D) is leaving, too."""
        self.show.legend()
        self.go_on()
        while not self.state.is_over:
            line = ask(PROMPT)
            if line is None or line == "quit":
                break
            self.obey(line)
        self.offer_record()

    def obey(self, line: str) -> None:
        """Carry out what the person typed: a command, or a move as text or by its number."""
        word, _, rest = line.partition(" ")
        if line in self.commands:
            self.commands[line]()
        elif word == "save":
            self.save(rest.strip())
        elif line:
            self.choose(line)

    def choose(self, line: str) -> None:
        """Play the move that the person typed, if there is one."""
        moves = self.state.legal_moves()
        named = {move.casefold(): move for move in moves}
        named |= {str(number): move for number, move in enumerate(moves, 1)}
        move = named.get(line.casefold())
        if move is None:
            print(
                f"{line!r} is no move here: expected a move of the list, or its number from 1 to {len(moves)}"
            )
            return
        self.decisions.append((self.state.copy(), len(self.moves)))
        self.play(move)
        self.go_on()

    def play(self, move: str) -> None:
        """Play a move of either side."""
        self.moves.append(move)
        self.show.play(self.state, move, len(self.moves))

    def go_on(self) -> None:
        """Let the agent play until the person is to decide, and show what there is to decide."""
        while not self.state.is_over and self.state.player != self.seat:
            self.play(agent_move(self.agent, self.state))
        print()
        self.show.board(self.state)
        if not self.state.is_over:
            print(menu(self.state))

    def explain(self) -> None:
        """Explain the decision and its rule."""
        print(explanation(self.state.decision))

    def areas(self) -> None:
        """Show what the areas would score now."""
        areas = self.state.areas()
        print(self.show.table(areas) if areas else "There are no areas yet.")

    def hint(self) -> None:
        """Say what the greedy player would do."""
        move = agent_move(agent_of("greedy", self.seed), self.state)
        print(f"The greedy player {move_words(self.state, move)}: {move}")

    def undo(self) -> None:
        """Go back to before the last move of the person."""
        if not self.decisions:
            print("There is nothing to take back.")
            return
        self.state, kept = self.decisions.pop()
        del self.moves[kept:]
        self.show.marks.clear()
        self.go_on()

    def save(self, name: str) -> None:
        """Write the record so far; a file that this game has not written is left alone."""
        if not name:
            print("save needs the name of a file, such as: save game.basilica")
            return
        path, shown = Path(name), printable(name)
        try:
            check_writable(path)
            if path.exists() and path not in self.saved:
                print(f"{shown} exists already: choose another name.")
                return
            write_game(path, self.first, self.moves, self.show.labels, self.seed if self.dealt else None)
        except Failure as error:
            print(f"Not written: {error}")
            return
        self.saved.add(path)
        print(f"Wrote {shown}")

    def offer_record(self) -> None:
        """Ask at the end of the game for a file to write the record to."""
        if self.moves:
            name = ask("Write the record to a file? Its name, or Enter for no: ")
            if name:
                self.save(name)


def menu(state: GameState) -> str:
    """List the legal moves, numbered in action order and grouped by what they are about."""
    groups: dict[str, list[str]] = {}
    for number, move in enumerate(state.legal_moves(), 1):
        label, text = _entry(state, move)
        groups.setdefault(label, []).append(f"{number:>3} {text}")
    return "\n".join(line for label, entries in groups.items() for line in _columns(label, entries))


def _entry(state: GameState, move: str) -> tuple[str, str]:
    """Give the group that a move belongs to, and how it is listed there."""
    if move.startswith("V"):
        return f"Vault {move[1]}: {state.vaults[int(move[1]) - 1]}", move
    if move.startswith("O"):
        return "Orders", f"{move} {order_title(state, int(move[1]) - 1)}"
    if move == "B":
        return "Builder", move
    if "=" in move:
        return f"Builder on {move.partition('=')[0]}", f"{move} {rank_name(move[-1])}"
    if "-" in move:
        return f"Builder on {move.partition('-')[0]}", move
    return "Choices", move


def _columns(label: str, entries: list[str]) -> list[str]:
    width = max(map(len, entries)) + 2
    fitting = max(1, (WIDTH - LABEL) // width)
    rows = [entries[start : start + fitting] for start in range(0, len(entries), fitting)]
    lines = ["".join(entry.ljust(width) for entry in row) for row in rows]
    labels = [label, *[""] * (len(lines) - 1)]
    return [f"{label:<{LABEL}}{line}".rstrip() for label, line in zip(labels, lines, strict=True)]
