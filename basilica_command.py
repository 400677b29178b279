"""The command ``basilica``, from its first moment on.

This stands outside the package because loading the package takes most of the start, and Ctrl-C is heard then,
too. Only while the interpreter itself starts nobody can hear it.
"""

INTERRUPTED = 130


def main() -> int:
    """Run the command with the arguments of the process; return its exit status."""
    try:
        from basilica_env.cli import main as command

        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
