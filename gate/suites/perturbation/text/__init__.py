"""Text perturbations: how the answer to a prompt or a text moves when its wording does."""
