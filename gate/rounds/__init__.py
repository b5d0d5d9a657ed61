"""The trials of one pull request, round by round."""

from gate.rounds.again import merged, strict_plan
from gate.rounds.confirming import Confirmed, RunTurn, confirm
from gate.rounds.one import Round, Settled, open_round

__all__ = ["Confirmed", "Round", "RunTurn", "Settled", "confirm", "merged", "open_round", "strict_plan"]
