"""Asks coding agents what the probes ask, keeps every answer, and writes the candidate report."""
