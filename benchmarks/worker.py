"""Measures one row: reads it from standard input, writes what it measured to standard output.

Run as ``python -m basilica_env.benchmarks.worker`` with a JSON object ``{"measure", "arguments",
"effort"}`` on standard input; the answer is ``{"values", "ready"}``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

from basilica_env.benchmarks.timing import Effort, Sample


def measure(job: dict[str, Any]) -> Sample:
    """Call the function that a job names and return its sample."""
    module, _, function = str(job["measure"]).partition(":")
    sample = getattr(importlib.import_module(module), function)(Effort(**job["effort"]), **job["arguments"])
    if not isinstance(sample, Sample):
        raise TypeError(f"{job['measure']} returned {type(sample).__name__}: expected a Sample")
    return sample


def main() -> None:
    """Measure the job on standard input."""
    # Whatever an environment prints goes to standard error, so the answer stands alone.
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        sample = measure(json.load(sys.stdin))
        json.dump({"values": sample.values, "ready": sample.ready}, answer)


if __name__ == "__main__":
    main()
