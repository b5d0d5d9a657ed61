"""Perturbation sweeps: how the predictions of a model move when its input does."""
