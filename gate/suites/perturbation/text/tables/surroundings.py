"""Sentences that have nothing to do with any task and no mood."""

DISTRACTORS = (
    "The meeting room is on the second floor.",
    "Water boils at a lower temperature on a mountain.",
    "The document has page numbers at the bottom.",
    "Some calendars begin the week on a Monday.",
    "The train leaves from another platform on Sundays.",
    "A triangle has three sides.",
    "The library keeps its maps in a separate room.",
    "Most of the letters in the box have a stamp.",
)
