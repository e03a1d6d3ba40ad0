"""Test plans: how many presentations of what, and what the finished test will be able to say.

A plan is a TOML file::

    name = "Two instruments"
    note = "Present each at arm's length."
    bona_fide = 30

    [species]
    print = 20
    "silicone mask" = 20
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from app.names import LONGEST_NAME, cleaned_name
from app.session.guided_test.presentation import (
    Presentation,
    TrialError,
    species_name,
)
from app.session.guided_test.state import PlannedRow, PlanProgress
from app.session.guided_test.toml import read_toml
from app.types import BONA_FIDE

MOST_SPECIES = 50
MOST_PRESENTATIONS = 10_000
"""Of one plan, all species together."""
LONGEST_NOTE = 400
_KEYS = ("name", "note", "bona_fide", "species")


@dataclass(frozen=True)
class TestPlan:
    """How many presentations a test is to have.

    Attributes
    ----------
    name, note : str
        What it is called, and what to know about it.
    wanted : mapping of str to int
        Presentations of bona fide and of every species, in their order.
    """

    __test__: ClassVar[bool] = False  # for pytest

    name: str
    note: str = ""
    wanted: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as the values of its file."""
        species = {name: n for name, n in self.wanted.items() if name != BONA_FIDE}
        n_bona_fide = self.wanted.get(BONA_FIDE, 0)
        return {"name": self.name, "note": self.note, "bona_fide": n_bona_fide, "species": species}

    def shown(self, presentations: Iterable[Presentation]) -> PlanProgress:
        """Return what is done and what is still to do.

        Every presentation counts, also one without a response: it was made. The bound that a row
        will give takes those to come as answered without an error.
        """
        made: dict[str, list[Presentation]] = {}
        for one in presentations:
            made.setdefault(one.species, []).append(one)
        rows = (_row(name, n, made.get(name, ())) for name, n in self.wanted.items())
        return PlanProgress(self.name, self.note, tuple(rows))


def _row(species: str, n_wanted: int, made: Iterable[Presentation]) -> PlannedRow:
    from lmkl_core.metrics import Rate  # late, as in app.session.guided_test.trial

    verdicts = [one.verdict for one in made]
    n_left = max(n_wanted - len(verdicts), 0)
    n_answered = sum(verdict.decides for verdict in verdicts)
    is_error = [v.refuses if species == BONA_FIDE else v.accepts for v in verdicts]
    rate = Rate(sum(is_error), n_answered + n_left)
    return PlannedRow(species, n_wanted, len(verdicts), rate.n_errors, rate.interval[1])


def plan_from(value: Any) -> TestPlan:
    """Read a plan from TOML or JSON values, checking everything.

    Raises
    ------
    TrialError
        In one half sentence that says what is wrong.
    """
    if not isinstance(value, Mapping):
        raise TrialError("it must be a table")
    if unknown := [str(key) for key in value if key not in _KEYS]:
        raise TrialError(f"{cleaned_name(unknown[0], 40)} is none of {', '.join(_KEYS)}")
    name, note, species = value.get("name"), value.get("note", ""), value.get("species", {})
    if not isinstance(name, str) or not cleaned_name(name, LONGEST_NAME):
        raise TrialError("name must be text")
    if not isinstance(note, str):
        raise TrialError("note must be text")
    if not isinstance(species, Mapping) or len(species) > MOST_SPECIES:
        raise TrialError(f"species must be a table of at most {MOST_SPECIES} names")
    counts = [(BONA_FIDE, value.get("bona_fide", 0))]
    counts += [(species_name(str(typed)), n) for typed, n in species.items()]
    wanted: dict[str, int] = {}
    for named, n in counts:
        if named in wanted:
            raise TrialError(f"{named} is listed twice")
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= MOST_PRESENTATIONS:
            raise TrialError(f"{named} must be a whole number from 0 to {MOST_PRESENTATIONS}")
        wanted[named] = n
    wanted = {named: n for named, n in wanted.items() if n}
    if not 0 < sum(wanted.values()) <= MOST_PRESENTATIONS:
        raise TrialError(f"it does not have 1 to {MOST_PRESENTATIONS} presentations in all")
    return TestPlan(cleaned_name(name, LONGEST_NAME), cleaned_name(note, LONGEST_NOTE), wanted)


def read_plan(path: Path) -> TestPlan:
    """Read a plan of one's own.

    Raises
    ------
    TrialError
        In one sentence that names the file.
    """
    return read_toml(path, plan_from, "test plan")


@cache
def built_in_plans() -> tuple[TestPlan, ...]:
    """Return the plans that come with the program, the shortest first."""
    folder = files("app.session.guided_test") / "plans"
    texts = (file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".toml"))
    plans = (plan_from(tomllib.loads(text)) for text in texts)
    return tuple(sorted(plans, key=lambda plan: sum(plan.wanted.values())))
