"""How many presentations of a species were accepted and refused: every count of them is this."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.types import BONA_FIDE, Verdict
from lmkl_core.metrics import Rate


@dataclass(frozen=True)
class Tally:
    """Counts of one species' presentations, or frames."""

    species: str
    n_accepted: int
    n_refused: int
    n_unfamiliar: int
    """Those of the refused whose light was not enrolled."""
    n_no_response: int
    """Neither accepted nor refused: no face, poor quality."""

    @classmethod
    def of(cls, species: str, verdicts: Sequence[Verdict]) -> "Tally":
        n_accepted = sum(verdict.accepts for verdict in verdicts)
        n_refused = sum(verdict.refuses for verdict in verdicts)
        n_without = len(verdicts) - n_accepted - n_refused
        n_unfamiliar = verdicts.count(Verdict.UNFAMILIAR)
        return cls(species, n_accepted, n_refused, n_unfamiliar, n_without)

    @property
    def n(self) -> int:
        return self.n_accepted + self.n_refused + self.n_no_response

    @property
    def is_attack(self) -> bool:
        return self.species != BONA_FIDE

    @property
    def errors(self) -> Rate:
        """APCER of an attack, BPCER of bona fide: errors among those with a response."""
        n_errors = self.n_accepted if self.is_attack else self.n_refused
        return Rate(n_errors, self.n_accepted + self.n_refused)

    @property
    def non_response(self) -> Rate:
        """APNRR of an attack, BPNRR of bona fide."""
        return Rate(self.n_no_response, self.n)
