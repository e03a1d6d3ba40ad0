"""Test plans: how many presentations to make of each species, and the bounds they will give.

A plan is a TOML file::

    name = "Two instruments"
    note = "Present each at arm's length."
    bona_fide = 30

    [species]
    print = 20
    "silicone mask" = 20
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from app.names import LONGEST_NAME, cleaned_name
from app.session.guided_test.details import read_toml
from app.session.guided_test.presentation import (
    GuidedTestError,
    Presentation,
    Tally,
    converted,
    species_name,
)
from app.types import BONA_FIDE
from lmkl_core.metrics import Rate

MOST_SPECIES = 50
MOST_PRESENTATIONS = 10_000
"""Limit for all species of a plan together."""
LONGEST_NOTE = 400


@dataclass(frozen=True)
class PlannedRow:
    """The plan for one species.

    ``bound`` is the upper end of the exact interval of its error rate if no more errors occur.
    """

    species: str
    n_wanted: int
    n_made: int
    n_errors: int
    bound: float

    @property
    def n_left(self) -> int:
        return max(self.n_wanted - self.n_made, 0)


@dataclass(frozen=True)
class PlanProgress:
    """A test plan and its progress."""

    name: str
    note: str
    rows: tuple[PlannedRow, ...]

    @property
    def n_wanted(self) -> int:
        return sum(row.n_wanted for row in self.rows)

    @property
    def n_left(self) -> int:
        return sum(row.n_left for row in self.rows)


@dataclass(frozen=True)
class TestPlan:
    """How many presentations to make of bona fide and of each species."""

    __test__: ClassVar[bool] = False  # for pytest

    name: str
    note: str = ""
    wanted: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        species = {name: n for name, n in self.wanted.items() if name != BONA_FIDE}
        n_bona_fide = self.wanted.get(BONA_FIDE, 0)
        return {"name": self.name, "note": self.note, "bona_fide": n_bona_fide, "species": species}

    def progress(self, presentations: Sequence[Presentation]) -> PlanProgress:
        """Return what is done and what is left; presentations without a response count as done."""
        rows = []
        for species, n_wanted in self.wanted.items():
            verdicts = [each.verdict for each in presentations if each.species == species]
            made = Tally.of(species, verdicts)
            n_left = max(n_wanted - made.n, 0)
            rate = Rate(made.errors.n_errors, made.errors.n + n_left)
            rows.append(PlannedRow(species, n_wanted, made.n, rate.n_errors, rate.interval[1]))
        return PlanProgress(self.name, self.note, tuple(rows))


_Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_PRESENTATIONS)]


class _PlanFile(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    note: str = ""
    bona_fide: _Count = 0
    species: Annotated[dict[str, Any], msgspec.Meta(max_length=MOST_SPECIES)] = {}


def plan_from(value: Any) -> TestPlan:
    """Read a plan from TOML or JSON values, or raise `GuidedTestError` with part of a message."""
    plan = converted(value, _PlanFile)
    wanted = {BONA_FIDE: plan.bona_fide}
    for typed, n in plan.species.items():
        name = species_name(typed)
        if name in wanted:
            raise GuidedTestError(f"{name} is listed twice")
        wanted[name] = converted(n, _Count, name)
    wanted = {name: n for name, n in wanted.items() if n}
    if not 0 < sum(wanted.values()) <= MOST_PRESENTATIONS:
        raise GuidedTestError(f"it must have 1 to {MOST_PRESENTATIONS} presentations in all")
    name = cleaned_name(plan.name, LONGEST_NAME)
    if not name:
        raise GuidedTestError("its name is empty")
    return TestPlan(name, cleaned_name(plan.note, LONGEST_NOTE), wanted)


def read_plan(path: Path) -> TestPlan:
    """Read a plan file, or raise `GuidedTestError` with a message that names it."""
    return read_toml(path, plan_from, "test plan")


@cache
def built_in_plans() -> tuple[TestPlan, ...]:
    """Return the plans shipped with the program, shortest first."""
    folder = files("app.session.guided_test") / "plans"
    texts = (file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".toml"))
    plans = (plan_from(tomllib.loads(text)) for text in texts)
    return tuple(sorted(plans, key=lambda plan: sum(plan.wanted.values())))
