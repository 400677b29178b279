"""``python -m basilica_env.cli`` is ``basilica``."""

import sys

from basilica_env.cli import main

sys.exit(main())
