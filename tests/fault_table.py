"""Pytest plugin that counts injected faults and writes the table in docs/faults.md.

A test that injects a fault is marked with it, and with what must not be lost::

    @pytest.mark.fault("Camera", "frozen: the same frame again and again", keeps="models")
    def test_that_a_frozen_camera_is_reported_and_recovers(attempt): ...
        for moment in moments:
            with attempt() as trial:
                ...                       # inject, then assert that it was survived
                trial.expect_kept(window.model is model)

Each ``with`` is one try, survived if it ends without an exception. A test without ``attempt`` is
one try. ``trial.lose(n)`` counts losses by design, such as frames between two writes of a take.
Tests with the same description share a row.

``make faults`` runs these tests and writes the table; the suite checks that every row has a test.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

BEGIN, END = "<!-- rows written by make faults -->", "<!-- end of rows -->"
HEAD = "| fault or input | tries | survived | lost | tests in |\n| --- | ---: | ---: | --- | --- |"
_TALLY = pytest.StashKey["Tally"]()
_TABLE = pytest.StashKey["dict[tuple[str, str], Row]"]()
COLLECTED = pytest.StashKey["Collected"]()
"""All collected tests, before deselection."""


@dataclass
class Trial:
    """One try, with the number of losses."""

    n_lost: int = 0

    def lose(self, n: int = 1) -> None:
        """Count what this fault costs by design."""
        self.n_lost += n

    def expect_kept(self, is_kept: bool) -> None:
        """Fail, and count a loss, unless what had to be kept was kept."""
        if not is_kept:
            self.lose()
        assert is_kept, "what had to be kept is lost"


@dataclass
class Tally:
    """The tries of one test."""

    tries: int = 0
    survived: int = 0
    n_lost: int = 0

    @contextlib.contextmanager
    def __call__(self) -> Iterator[Trial]:
        """Count one try."""
        trial = Trial()
        self.tries += 1
        try:
            yield trial
            self.survived += 1
        finally:
            self.n_lost += trial.n_lost


@dataclass
class Row:
    """One row of the table."""

    group: str
    what: str
    keeps: str
    tests: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def add(self, test: str, tally: Tally) -> None:
        """Add the tries of another test."""
        if test not in self.tests:
            self.tests.append(test)
        self.tally.tries += tally.tries
        self.tally.survived += tally.survived
        self.tally.n_lost += tally.n_lost

    def __str__(self) -> str:
        tally = self.tally
        lost = f"{tally.n_lost} {self.keeps}".strip()
        files = dict.fromkeys(test.partition("::")[0] for test in self.tests)
        tests = ", ".join(f"`{file}`" for file in files)
        return f"| {self.what} | {tally.tries} | {tally.survived} | {lost} | {tests} |"


@dataclass(frozen=True)
class Collected:
    """The files of the collected tests, and the tests of every row."""

    files: frozenset[Path]
    tests: dict[tuple[str, str], set[str]]


@pytest.fixture
def attempt(request: pytest.FixtureRequest) -> Tally:
    """Return a counter for the tries of this test: ``with attempt() as trial``."""
    tally = request.node.stash[_TALLY] = Tally()
    return tally


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fault-table", metavar="FILE", help="write the table of faults into FILE")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "fault(group, what, keeps=''): injects a fault; a row of docs/faults.md"
    )
    config.stash[_TABLE] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests: dict[tuple[str, str], set[str]] = {}
    for item in items:
        if mark := item.get_closest_marker("fault"):
            group, what = mark.args
            tests.setdefault((group, what), set()).add(_name_of(item))
    config.stash[COLLECTED] = Collected(frozenset(item.path for item in items), tests)


def _name_of(item: pytest.Item) -> str:
    return f"{Path(item.location[0]).as_posix()}::{item.originalname}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    mark = item.get_closest_marker("fault")
    if mark is not None and call.when == "call" and not report.skipped:
        group, what = mark.args
        tally = item.stash.get(_TALLY, None)
        if tally is None or not tally.tries:
            tally = Tally(1, int(report.passed))
        rows = item.config.stash[_TABLE]
        row = rows.setdefault((group, what), Row(group, what, mark.kwargs.get("keeps", "")))
        row.add(_name_of(item), tally)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    target = session.config.getoption("--fault-table")
    if target:
        path = Path(target)
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        rows = session.config.stash[_TABLE].values()
        text = f"{before}{BEGIN}\n{tables_of(rows)}\n{END}{after}"
        path.write_text(text, encoding="utf-8")


def tables_of(rows) -> str:
    """Return one table per group."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return "\n\n".join(
        "\n".join([f"### {group}\n", HEAD, *map(str, members)])
        for group, members in sorted(groups.items())
    )
