"""Workflows played as they stand by a real runner (nektos/act), in jobs that have the gate already."""
