"""The figures of a session, counted once over presentations and once over their frames."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from app.session.guided_test.presentation import Presentation
from app.types import BONA_FIDE, Verdict
from lmkl_core.metrics import Errors, Estimate, Rate, auc, bpcer_at_apcer, eer

APCER_TARGETS = (0.01, 0.05, 0.1)

Outcome = tuple[Verdict, float | None]


@dataclass(frozen=True)
class SpeciesCounts:
    """What became of one species' presentations, or frames."""

    species: str
    n_accepted: int
    n_refused: int
    n_unfamiliar: int
    """Those of the refused whose light was not enrolled."""
    n_no_response: int
    """Neither accepted nor refused: no face, poor quality."""

    @property
    def n(self) -> int:
        """All of them."""
        return self.n_accepted + self.n_refused + self.n_no_response

    @property
    def is_attack(self) -> bool:
        """Whether accepting is the error."""
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


@dataclass(frozen=True)
class Level:
    """Everything that is measured at one level.

    Attributes
    ----------
    counts : tuple of SpeciesCounts
        Bona fide first, also when there is none; then the attacks as they appeared.
    scores : mapping of str to tuple of float
        Of everything that could be scored, by species.
    """

    counts: tuple[SpeciesCounts, ...]
    scores: Mapping[str, tuple[float, ...]]

    @property
    def bona_fide(self) -> SpeciesCounts:
        """Counts of bona fide."""
        return self.counts[0]

    @property
    def attacks(self) -> tuple[SpeciesCounts, ...]:
        """Counts of every attack species."""
        return self.counts[1:]

    @cached_property
    def errors(self) -> Errors:
        """Errors of the decisions that were made."""
        return Errors(
            bpcer=self.bona_fide.errors,
            apcers={row.species: row.errors for row in self.attacks},
            bpnrr=self.bona_fide.non_response,
            apnrrs={row.species: row.non_response for row in self.attacks},
        )

    @property
    def not_accepted(self) -> Rate:
        """Bona fide that was refused or gave no response, among all of it."""
        return Rate(self.bona_fide.n - self.bona_fide.n_accepted, self.bona_fide.n)

    @property
    def genuine_scores(self) -> tuple[float, ...]:
        """Scores of bona fide."""
        return self.scores.get(BONA_FIDE, ())

    @cached_property
    def attack_scores(self) -> dict[str, tuple[float, ...]]:
        """Scores of the attacks, by species."""
        return {name: scores for name, scores in self.scores.items() if name != BONA_FIDE}

    @cached_property
    def auc(self) -> Estimate:
        """Area under the ROC curve, all attacks together."""
        return auc(self.genuine_scores, self.attack_scores)

    @cached_property
    def eer(self) -> Estimate:
        """Equal error rate, all attacks together."""
        return eer(self.genuine_scores, self.attack_scores)

    @cached_property
    def bpcer_at(self) -> dict[float, Estimate]:
        """BPCER at each of `APCER_TARGETS`, which no species exceeds."""
        return {
            target: bpcer_at_apcer(self.genuine_scores, self.attack_scores, target)
            for target in APCER_TARGETS
        }


def presentation_level(presentations: Iterable[Presentation]) -> Level:
    """Count presentations: the figures that a test is about."""
    return _level(presentations, lambda one: [(one.verdict, one.score)])


def frame_level(presentations: Iterable[Presentation]) -> Level:
    """Count frames; those of one presentation resemble each other, so intervals are too narrow."""
    return _level(presentations, lambda one: [(frame.verdict, frame.score) for frame in one.frames])


def _level(
    presentations: Iterable[Presentation], outcomes: Callable[[Presentation], list[Outcome]]
) -> Level:
    found: dict[str, list[Outcome]] = {BONA_FIDE: []}
    for presentation in presentations:
        found.setdefault(presentation.species, []).extend(outcomes(presentation))
    return Level(
        counts=tuple(_counts(name, rows) for name, rows in found.items()),
        scores={
            name: tuple(score for _, score in rows if score is not None)
            for name, rows in found.items()
        },
    )


def _counts(species: str, outcomes: list[Outcome]) -> SpeciesCounts:
    verdicts = [verdict for verdict, _ in outcomes]
    n_accepted = sum(verdict.accepts for verdict in verdicts)
    n_refused = sum(verdict.refuses for verdict in verdicts)
    n_unfamiliar = verdicts.count(Verdict.UNFAMILIAR)
    n_without = len(verdicts) - n_accepted - n_refused
    return SpeciesCounts(species, n_accepted, n_refused, n_unfamiliar, n_without)
