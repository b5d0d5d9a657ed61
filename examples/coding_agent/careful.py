"""A careful agent: it looks at the edges, says what it assumes, and says no where a task can't be done."""

from answering import main

main("careful")
