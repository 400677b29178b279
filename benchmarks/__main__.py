"""``python -m basilica_env.benchmarks`` is ``basilica bench``."""

import sys

from basilica_env.benchmarks.command import main

sys.exit(main(sys.argv[1:]))
