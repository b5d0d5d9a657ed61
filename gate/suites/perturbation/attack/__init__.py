"""Worst case: how many rows can be flipped inside a ball, and how far the nearest flip is.

Whatever an attack finds is a lower bound: a row that it does not flip may still have a flip that it missed.
"""
