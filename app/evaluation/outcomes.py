"""Outcomes on disk, so that an evaluation that was broken off goes on where it was.

Scores are kept, not figures: another rule for the threshold costs nothing. The key covers the rows
that went in, the method, the options that decide its parameters, and the code that computes, so
that what another release has computed is never taken for this one's.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from app.evaluation.cache import Cache, key_of
from app.evaluation.extracting import Library
from app.evaluation.methods import Row
from app.evaluation.protocols.types import Plan
from app.evaluation.task import Enrolled, Manner, Outcome

FORMAT = 2
"""Raised when the contents of a kept outcome change."""

_COMPUTES = {
    "app.vision": ("conditions.py",),
    "app.evaluation": (
        "assembling.py",
        "entries.py",
        "dataset.py",
        "methods.py",
        "selecting.py",
        "task.py",
    ),
}
_LIBRARIES = ("numpy", "scipy", "scikit-learn")


def rows_key(plan: Plan, others: Sequence[Plan], max_train: int, library: Library) -> str:
    """Return the key of all rows that go into the models of a plan.

    Of test recordings it holds their content and not what they are.
    """
    seen = library.seen

    def learnt(one: Plan) -> dict[str, Any]:
        return {
            "train": [seen[each.name].key for each in one.train],
            "development": [[seen[each.name].key, each.is_attack] for each in one.development],
        }

    test = [seen[each.name].key for each in plan.test]
    elsewhere = [learnt(other) for other in others]
    return key_of({**learnt(plan), "test": test, "others": elsewhere, "max_train": max_train})


def outcome_key(rows: str, row: Row, manner: Manner) -> str:
    """Return the key of one method's outcome on the rows of one plan."""
    return key_of(
        {
            "format": FORMAT,
            "code": code_digest(),
            "method": row.key,
            "views": list(row.names),
            "manner": vars(manner),
            "rows": rows,
        }
    )


def keep(cache: Cache, key: str, outcome: Outcome) -> None:
    """Keep an outcome; failures are not kept, since their causes may go away."""
    if outcome.failure:
        return
    document = {
        "format": FORMAT,
        "enrolled": vars(outcome.enrolled),
        "parameters": outcome.parameters,
        "n_train": outcome.n_train,
        "notes": list(outcome.notes),
        "seconds": outcome.seconds,
    }
    cache.store(key, document, {"development": outcome.development, "test": outcome.test})


def kept(cache: Cache, key: str, n_development: int, n_test: int) -> Outcome | None:
    """Return a kept outcome, or None if there is none that fits."""
    found = cache.load(key)
    if found is None or found.document.get("format") != FORMAT:
        return None
    try:
        document: dict[str, Any] = dict(found.document)
        outcome = Outcome(
            found.tensors["development"],
            found.tensors["test"],
            Enrolled(**document["enrolled"]),
            dict(document["parameters"]),
            int(document["n_train"]),
            tuple(map(str, document["notes"])),
            float(document["seconds"]),
        )
    except (LookupError, TypeError, ValueError):
        return None
    for scores, n in ((outcome.development, n_development), (outcome.test, n_test)):
        if scores.shape != (n,) or not np.isfinite(scores).all():
            return None
    return outcome


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the code that turns rows into scores: a version by hand is forgotten."""
    total = hashlib.sha256(" ".join(metadata.version(name) for name in _LIBRARIES).encode())
    for package, names in _COMPUTES.items():
        for name in names:
            _add(total, resources.files(package) / name)
    for part in sorted(resources.files("lmkl_core").iterdir(), key=lambda each: each.name):
        # What makes views is covered by the keys of these.
        if part.name != "features":
            _add(total, part)
    return total.hexdigest()


def _add(total: Any, part: Traversable) -> None:
    if part.is_dir():
        for inner in sorted(part.iterdir(), key=lambda each: each.name):
            _add(total, inner)
    elif part.name.endswith(".py"):
        total.update(part.name.encode() + b"\0" + part.read_bytes() + b"\0")
