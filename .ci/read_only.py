"""Play a game from an installation that cannot be written to, in a process without a home directory.

Takes the folder of a virtual environment whose files are all read-only. The game must work, and the
package must say once, and only once, that it keeps no compiled code.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

GAME = """
from basilica_env import GameState

game = GameState.new(seed=7)
while not game.is_over:
    game.apply(int(game.legal_actions()[0]))
print(game.scores)
"""

NO_HOME = "/dev/null"
"""No folder can be made below it, whoever asks."""

UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""Root writes to read-only folders, unless it gives up its capabilities."""


def run(environment: Path) -> subprocess.CompletedProcess[str]:
    prefix = UNPRIVILEGED if os.geteuid() == 0 else []
    python = str(environment / "bin" / "python")
    probe = f"touch '{environment}/written' 2>/dev/null && echo 'the installation is writable' >&2 && exit 1"
    subprocess.run([*prefix, "sh", "-c", f"{probe}; exit 0"], check=True)
    return subprocess.run(
        [*prefix, python, "-c", GAME],
        cwd="/",
        env={"PATH": os.defpath, "HOME": NO_HOME},
        capture_output=True,
        text=True,
        timeout=300,
    )


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: read_only.py ENVIRONMENT")
    result = run(Path(sys.argv[1]))
    sys.stdout.write(result.stdout + result.stderr)
    notices = result.stderr.count("no directory that it can write compiled code to")
    if result.returncode != 0 or notices != 1:
        raise SystemExit(f"exit code {result.returncode}, {notices} notices; expected exit code 0, 1 notice")


if __name__ == "__main__":
    main()
