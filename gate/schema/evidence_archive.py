"""What an archive of evidence holds, and how its digests are chained: names that the writer and the reader share."""

from __future__ import annotations

SCHEMA = 1
MANIFEST = "manifest.json"
VERDICT, CANDIDATE, BASELINE = "verdict.json", "candidate.json", "baseline.jsonl"
SETTINGS, ACCEPTANCES, VERSIONS = "settings.json", "acceptances.json", "versions.json"
NAMES = (VERDICT, CANDIDATE, BASELINE, SETTINGS, ACCEPTANCES, VERSIONS)
"""Every file that may stand beside the manifest; the first, the settings and the versions always do."""
