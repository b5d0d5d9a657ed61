"""Agents that can be asked: command lines in a cell, and APIs of models over HTTP."""
