"""A verdict for other programs: SARIF for code scanning, JUnit XML for CI servers, CSV for a sheet."""

from gate.render.exports.junit import verdict_junit
from gate.render.exports.sarif import verdict_sarif
from gate.render.exports.table import verdict_csv

__all__ = ["verdict_csv", "verdict_junit", "verdict_sarif"]
