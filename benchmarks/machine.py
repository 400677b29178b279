"""The facts that a figure means nothing without: the machine and the versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

DISTRIBUTIONS = (
    "basilica-env",
    "numpy",
    "numba",
    "llvmlite",
    "gymnasium",
    "pettingzoo",
    "stable-baselines3",
    "sb3-contrib",
    "torch",
    "open_spiel",
    "pgx",
    "jax",
    "jaxlib",
)
"""Distributions whose versions a report states, where they are installed."""

_CPU_INFO = Path("/proc/cpuinfo")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def processor() -> str:
    """Return the model of the processor, as exactly as the system tells it."""
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    if platform.system() == "Darwin":
        brand = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        )
        if brand.returncode == 0:
            return brand.stdout.strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> float | None:
    """Return the memory of the machine in GiB, or None where the system does not tell."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None


def governor() -> str | None:
    """Return the frequency governor of the first core, or None where the system does not tell."""
    try:
        return _GOVERNOR.read_text(encoding="utf-8").strip()
    except OSError:
        return None


def load() -> float | None:
    """Return the load average of the last minute, or None where the system does not tell."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None


def machine() -> dict[str, object]:
    """Describe the machine; a fact that the system does not tell is None."""
    return {
        "processor": processor(),
        "cores": cores(),
        "memory_gib": memory(),
        "governor": governor(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": load(),
    }


def versions() -> dict[str, str]:
    """Return the version of Python and of each distribution that matters and is installed."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
