"""Prompt mutation: faults put into a prompt, to ask whether any test notices."""
