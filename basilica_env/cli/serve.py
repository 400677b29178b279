"""``basilica serve``: the page to play, watch, replay and analyse in the browser."""

from __future__ import annotations

import argparse
import math
import os
import re
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from basilica_env.cli.terminal import Failure, add_verb, failing, reason
from basilica_env.files import lock, regular_file
from basilica_env.render.style import printable

HOST, PORT = "127.0.0.1", 8000
FOLDER = Path("basilica-games")
LOCK = ".lock"
"""The file in the folder that a server holds as long as it runs."""
SECONDS = 10.0
MOST_SECONDS = 600
MOST_GAMES = 1000
MOST_THREADS = 256


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "serve",
        "play, watch, replay and analyse in the browser",
        "Serve a page to play against agents or a friend, watch agents play, replay a record and analyse a "
        "position, and an HTTP interface for other programs. Only this machine can reach it unless --host "
        "says otherwise. Every game is kept in a folder, also over a restart. Ctrl-C ends it.",
        (
            ("basilica serve --open", "in your browser"),
            ("basilica serve --port 8080 --games my-games", "another port and folder"),
            ("basilica serve --host 0.0.0.0", "for everyone in your network"),
        ),
    )
    parser.add_argument("--host", default=HOST, help="the address to listen at (default: %(default)s)")
    parser.add_argument(
        "--port",
        type=_number(0, 65535),
        default=PORT,
        metavar="N",
        help="0 takes a free one (default: %(default)s)",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        type=_name,
        metavar="NAME",
        help="a name, besides localhost and addresses, to be called by; may be repeated",
    )
    parser.add_argument(
        "--games",
        type=Path,
        default=FOLDER,
        metavar="DIR",
        help="where games are kept; it is made if it is missing (default: %(default)s)",
    )
    parser.add_argument(
        "--most-games",
        type=_number(1, 1_000_000),
        default=MOST_GAMES,
        metavar="N",
        help="games in the folder (default: %(default)s)",
    )
    parser.add_argument(
        "--think",
        type=_seconds,
        default=SECONDS,
        metavar="S",
        help="seconds that an agent may think (default: %(default)s)",
    )
    parser.add_argument(
        "--threads",
        type=_number(1, MOST_THREADS),
        default=os.cpu_count() or 1,
        metavar="N",
        help="games in which agents think at the same time (default: as many as there are cores)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(run=run)


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text, re.ASCII) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r}: expected an integer from {least} to {most}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds above 0, up to {MOST_SECONDS}")
    return number


def _name(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9.-]{1,253}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r}: expected the name of a host, such as games.example.org")
    return text.lower()


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C.

    Raises
    ------
    Failure
        The extra is missing, the folder cannot be written to or another server uses it, or the port is taken.
    """
    try:
        from basilica_env.web.server import listen, serve
        from basilica_env.web.settings import Settings
    except ModuleNotFoundError as error:
        raise Failure(
            f"no module {error.name!r}: expected an installation with the extra 'web', "
            "pip install 'basilica-env[web]'"
        ) from error

    with failing():
        options.games.mkdir(parents=True, exist_ok=True)
    if not os.access(options.games, os.W_OK | os.X_OK):
        raise Failure(f"--games {printable(str(options.games))}: the folder is read-only")
    settings = Settings(
        folder=options.games.absolute(),
        seconds=options.think,
        most_games=options.most_games,
        threads=options.threads,
        hosts=frozenset(options.allow_host),
    )
    try:
        listening = listen(options.host, options.port)
    except OSError as error:
        where = f"--host {printable(options.host)} --port {options.port}"
        raise Failure(f"{where}: {reason(error)}") from error
    address = _address(options.host, listening.getsockname()[1])

    def ready() -> None:
        print(f"Basilica is at {address} until Ctrl-C. Games are kept in {options.games}", flush=True)
        if options.open:
            webbrowser.open(address)

    with listening, _alone(options.games):
        serve(settings, listening, ready)
    print("Closed.")
    return 0


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other servers from a folder: each would overwrite the games of the other."""
    with failing():
        mark = regular_file(folder / LOCK).open("ab")
    with mark:
        try:
            lock(mark)
        except OSError:
            raise Failure(
                f"--games {printable(str(folder))}: another server uses the folder, expected one of its own"
            ) from None
        yield


def _address(host: str, port: int) -> str:
    """Return the address to type into a browser on this machine."""
    if host in ("0.0.0.0", "::", ""):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
