"""Tabular perturbations: any frame as columns, what each column may hold, and typed moves inside it."""
