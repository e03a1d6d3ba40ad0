"""Small evaluations whose figures can be counted by hand."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from app.evaluation.protocols.types import Layout
from app.evaluation.result import Evaluation, FoldResult, MethodResult
from app.reports.evaluation import build
from lmkl_core.baselines import Method
from lmkl_core.metrics import ScoreTable, Threshold

NAMES = {
    key: Method(key, "", "all", None, {}, published=published, citation=citation, differs=differs)
    for key, published, citation, differs in (
        ("mk-svdd", "Multiple Kernel-SVDD", "9535490", ""),
        ("mk-ocsvm", "Multiple Kernel-OCSVM", "9535490", ""),
        ("lpq", "ℓp,q-MKL", "9535490", ""),
        ("fusion", "The work in", "9303455", "equal weights"),
        ("single", "", "", ""),
        ("localised", "Localised MKL", "", ""),
    )
}
"""Methods, with the row of the paper's tables that they belong to."""

LAYOUT_FIELDS = {"database", "title", "protocol", "mode", "missing", "passed_over"}


def scores(bona_fide, n_frames=2, **attacks):
    """Return a table with ``n_frames`` equal frames for each presentation's score.

    A score of None is a presentation without a response.
    """
    rows = []
    for species, values in {"": bona_fide, **attacks}.items():
        for number, value in enumerate(values):
            score = np.nan if value is None else value
            rows += [(score, species, f"s{number}", f"{species or 'live'}/{number}")] * n_frames
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return ScoreTable(
        np.array(columns[0], dtype=float), *(np.array(column, dtype=str) for column in columns[1:])
    )


def people_scores(seed, n_subjects=14, shift=0.0):
    """Return scores of people, some harder than others; each seed is another model."""
    hard = np.random.default_rng(0).normal(size=n_subjects)
    noise = np.random.default_rng(seed).normal(scale=0.4, size=(n_subjects, 4))
    scores = np.column_stack([hard + 1.2, hard + 1.0, hard - 1.0 + shift, hard - 1.2]) + noise
    species = np.tile(["", "", "print", "phone"], n_subjects)
    subjects = np.repeat([f"s{number}" for number in range(n_subjects)], 4)
    names = np.array([f"p{number}" for number in range(4 * n_subjects)])
    return ScoreTable(scores.ravel(), species, subjects, names)


def fold(name="all", table=None, threshold=0.5, **changes):
    """Return one fold; by default one of four bona fide and one of six attacks err."""
    if table is None:
        table = scores([0.9, 0.8, 0.7, 0.4], print=[0.1, 0.2, 0.6], phone=[0.0, 0.3, 0.1])
    used = Threshold(threshold, "equal errors on the development set" if threshold else "none")
    made = FoldResult(name, table, used, used, parameters={"": {"delta": 0.1, "p": 2}}, n_train=120)
    return replace(made, **changes)


def method(key="localised", title="Localised MKL", folds=None, **changes):
    return replace(MethodResult(key, title, (fold(),) if folds is None else folds), **changes)


def evaluation(*methods, **changes):
    """Return an evaluation of one method by default; ``changes`` may include layout fields."""
    layout = Layout("replay-mobile", "Replay-Mobile", "", "client-independent", ())
    made = Evaluation(
        layout=layout,
        table="RM",
        methods=methods or (method(),),
        settings={"preset": "paper-pad", "frames a recording": "20", "selection": "development"},
        counts={"test attack recordings": 6, "test bona fide recordings": 4},
        notes=("Takes were divided by person.",),
        version="0.1.0",
        created=datetime(2026, 3, 14, 9, 26, tzinfo=UTC),
    )
    own = {name: changes.pop(name) for name in LAYOUT_FIELDS & changes.keys()}
    if "recordings" in changes:
        own["counts"] = changes.pop("recordings")
    return replace(made, layout=replace(layout, **own), **changes)


def table(*methods, **changes):
    return build(evaluation(*methods, **changes), NAMES)
