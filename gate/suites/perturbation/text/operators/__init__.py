"""One module a family of operators; each lists them in `OPERATORS`."""
