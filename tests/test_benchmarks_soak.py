"""The soak: what its analysis finds in planted leaks."""

import random

import pytest

from benchmarks.__main__ import NAMED, NAMES
from benchmarks.soak import end_over_start, options_from, report
from benchmarks.soak_counts import growths

ROUND = 75.0


def run_of(n=40, leak=None, every=1, start=0):
    """Return the checkpoints of a run in which something grows by one every so many rounds."""
    noise = random.Random(7)
    rows = []
    for number in range(n):
        counts = {
            "memory: USS, MiB": 800 + noise.uniform(-4, 4),
            "Python objects": 16_000 + noise.randint(-40, 40),
            "threads": 9,
            "descriptor: pipe": 5,
        }
        if leak:
            counts[leak] = counts.get(leak, 0) + max(0, number - start) / every
        rows.append(
            {
                "seconds": number * ROUND,
                "milliseconds_a_frame": 20.0 + number / 10,
                "counts": counts,
            }
        )
    return rows


def growing(rows):
    return [one.name for one in growths(rows) if one.grows]


def test_that_the_long_run_is_known_but_not_part_of_all_benchmarks():
    assert "soak" in NAMED
    assert "soak" not in NAMES
    assert options_from(["--minutes", "10"]).minutes == 10


def test_that_a_run_that_leaves_nothing_behind_is_clean():
    assert growing(run_of()) == []


@pytest.mark.parametrize("every", [1, 3, 8])
@pytest.mark.parametrize("name", ["threads", "descriptor: pipe", "temporary file: .tmp"])
def test_that_a_leaked_thing_is_named(name, every):
    rows = run_of(leak=name, every=every)
    for row in rows:
        row["counts"][name] = int(row["counts"][name])
    assert growing(rows) == [name]


def test_that_a_leak_of_memory_is_found_in_its_noise():
    assert growing(run_of(leak="memory: USS, MiB", every=1.3)) == ["memory: USS, MiB"]


def test_that_one_thread_that_comes_once_is_no_growth():
    rows = run_of()
    for row in rows[20:]:
        row["counts"]["threads"] = 10
    assert growing(rows) == []


def test_that_few_rounds_are_not_judged():
    assert growing(run_of(5, leak="threads")) == []
    assert growths([]) == []


def test_that_errors_waits_in_vain_and_a_slower_scorer_fail_a_run(capsys):
    rows = run_of()
    found = {
        "rounds": 40,
        "minutes": 50.0,
        "rounds_after_warm_up": 40,
        "dialogs_closed": 3,
        "growth": [vars(one) for one in growths(rows)],
        "gaps": {"50 ms": 1},
        "longest_gaps": [(0.2, "fitting", "")],
        "errors": {"uncaught ValueError: #": 2},
        "warnings": {},
        "in_vain": ["fitting", "fitting"],
        "end_over_start": end_over_start(rows) * 1.2,
    }
    slower, errors, in_vain = report(found)
    assert (errors, in_vain) == ("2 errors.", "Waited in vain: fitting.")
    assert slower.startswith("A frame costs")
    assert "WRONG: 2 errors." in capsys.readouterr().out
