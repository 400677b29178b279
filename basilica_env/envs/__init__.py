"""Faces of the game for reinforcement learning: Gymnasium, its vector interface, Stable-Baselines3."""
