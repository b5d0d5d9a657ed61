"""A fragile agent: what it gives looks right, and holds for the examples at hand."""

from answering import main

main("fragile")
