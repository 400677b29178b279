"""The names under which Gymnasium and PettingZoo know the environments."""

from __future__ import annotations

import gymnasium
import pettingzoo

GYMNASIUM_ID = "Basilica-v0"
PETTINGZOO_ID = "basilica-v0"


def register() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry; once is enough."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            id=GYMNASIUM_ID,
            entry_point="basilica_env.envs.single:BasilicaEnv",
            vector_entry_point="basilica_env.envs.vector:BasilicaVectorEnv",
        )
    # PettingZoo has a registry from 1.27 on.
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="basilica_env.basilica_v0:env")
