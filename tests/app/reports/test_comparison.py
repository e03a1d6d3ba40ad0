"""Several runs compared, with differences by subject."""

import pytest

from app.reports.evaluation import Run, compare
from app.reports.notices import comparison_notices
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics import bootstrap_difference
from tests.app.reports.example_tables import fold, method, people_scores, table


def run(name, seed, title="Localised MKL", *, shift=0.0, n_subjects=14, **changes):
    made = method(
        folds=(fold(table=people_scores(seed, n_subjects, shift), threshold=0.0),), title=title
    )
    changes = {"table": "", "settings": {"preset": name}} | changes
    return Run(name, table(made, **changes))


@pytest.fixture
def comparison():
    return compare([run("texture", 1), run("tiny", 2, shift=1.5), run("other", 3, database="x")])


def test_that_differences_are_measured_from_the_first_run_by_subject(comparison):
    first, second = (people_scores(seed, shift=shift) for seed, shift in ((1, 0.0), (2, 1.5)))
    line = comparison.line("tiny", "localised", "AUC")
    expected = bootstrap_difference(first, second, "AUC")
    assert line.difference.value == expected.value < 0
    assert line.difference.interval == expected.interval
    assert line.difference.is_clear
    assert comparison.line("texture", "localised", "AUC").difference is None


def test_that_only_runs_on_the_same_database_are_paired(comparison):
    found = {line.run: line.difference for line in comparison.lines if line.difference}
    assert (found["tiny"].is_paired, found["tiny"].n_subjects) == (True, 14)
    assert (found["other"].is_paired, found["other"].n_subjects) == (False, 14)


def test_that_too_few_subjects_are_reported():
    made = compare([run("a", 1, n_subjects=5), run("b", 2, n_subjects=5)])
    assert any("Too few subjects: 5" in notice for notice in comparison_notices(made))
    assert not any(line.difference.is_clear for line in made.lines if line.difference)


def test_that_a_method_of_only_one_run_has_no_difference():
    alone = Run("b", table(method("mk-svdd", "MK-SVDD"), table=""))
    made = compare([run("a", 1), alone])
    assert set(made.methods) == {"localised", "mk-svdd"}
    assert not any(line.difference for line in made.lines)


@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_that_two_runs_with_different_names_are_needed(names):
    with pytest.raises(InvalidInputError):
        compare([run(name, 1) for name in names])
