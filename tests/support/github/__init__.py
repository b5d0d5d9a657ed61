"""A small GitHub that keeps state, and checks every request and answer against GitHub's own description."""
