"""Probes of coding agents: what is asked, how an answer is checked in a cell, and what eight dimensions make of it."""
