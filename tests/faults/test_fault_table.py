"""Every row of the table of faults in the docs has a test."""

import re
from pathlib import Path

import pytest

from tests.fault_table import BEGIN, COLLECTED, END

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "faults.md"


@pytest.fixture
def marked_tests(request):
    """Return the tests of every row, where all tests were collected."""
    collected = request.config.stash[COLLECTED]
    if missing := set((ROOT / "tests").rglob("test_*.py")) - collected.files:
        pytest.skip(f"only the whole suite has every row: {len(missing)} files were not collected")
    return collected.tests


def rows_of_docs():
    """Return group, words, tries, survived and test files of every row in the docs."""
    text = DOCS.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    group, rows = "", []
    for line in text.splitlines():
        if line.startswith("### "):
            group = line.removeprefix("### ")
        elif re.match(r"\| (?!fault or|---)", line):
            what, tries, survived, _lost, tests = (c.strip() for c in line.strip("|").split(" | "))
            rows.append((group, what, int(tries), int(survived), re.findall("`(.+?)`", tests)))
    return rows


def test_that_every_row_of_the_docs_has_tests_and_every_marked_test_has_a_row(marked_tests):
    shown = {(group, what): set(files) for group, what, _, _, files in rows_of_docs()}
    assert set(shown) == set(marked_tests)
    # A test that was skipped on the machine that wrote the table did not count there.
    files = {row: {test.partition("::")[0] for test in marked_tests[row]} for row in shown}
    assert [row for row in shown if not shown[row] <= files[row]] == []


def test_that_the_docs_show_no_fault_that_was_not_survived():
    assert rows_of_docs()
    assert [row for row in rows_of_docs() if row[2] < 1 or row[3] != row[2]] == []
