"""The long run: what its analysis finds in samples, and that one round of it works."""

import random

import pytest

from benchmarks import soak_analysis as analysis
from benchmarks.__main__ import NAMED, NAMES
from benchmarks.soak import options_from

MIB = analysis.MIB
ROUND = 75.0


def checkpoint(number, noise=None):
    """Return what is found at the end of a round of a program that leaves nothing behind."""
    wobble = (noise or random.Random(number)).uniform(-4, 4)
    return {
        "seconds": number * ROUND,
        "rss": (900 + wobble) * MIB,
        "uss": (800 + wobble) * MIB,
        "heap": 500 * MIB,
        "python_objects": 16_000 + int(10 * wobble),
        "os_threads": {"capture": 3, "scoring": 4},
        "python_threads": {"MainThread": 1},
        "qthreads": {"capture": 1},
        "timers": {"active": 7 + number % 3, "at rest": 12 - number % 3},
        "qobjects": {"QLabel": 300},
        "windows": {"MainWindow": 1},
        "fds": {"pipe": 5, "socket": 1},
        "children": {},
        "temporary": {},
        "stored_files": 1,
        "stored_bytes": 400,
        "types": {"tuple": 3000 + number % 7, "Sample": 0},
        "cpu_per_scored": 20.0 + wobble / 4,
        "wall_per_scored": 30.0,
        "process_cpu_per_scored": 60.0,
        "shown_rate": 24.0,
        "scored_rate": 12.0,
        "round_seconds": ROUND,
        "reference": 1.5,
    }


def run_of(n=40, change=None):
    """Return the checkpoints of a run, each changed by a planted leak."""
    noise = random.Random(7)
    rows = [checkpoint(number, noise) for number in range(1, n + 1)]
    for number, row in enumerate(rows):
        if change is not None:
            change(number, row)
    return rows


def wrong(rows, warm_up=600.0, **troubles):
    return analysis.verdicts(rows, warm_up, troubles)


def test_that_the_long_run_is_known_but_not_part_of_all_benchmarks():
    assert "soak" in NAMED
    assert "soak" not in NAMES


def test_that_a_run_that_leaves_nothing_behind_is_clean():
    assert wrong(run_of()) == []


def planted(group, name, every):
    def leak(number, row):
        row[group][name] = row[group].get(name, 0) + number // every

    return leak


@pytest.mark.parametrize("every", [1, 3, 8])
@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("os_threads", "capture"),
        ("python_threads", "demo recorder"),
        ("qthreads", "capture"),
        ("timers", "at rest"),
        ("qobjects", "QTimer"),
        ("windows", "SettingsDialog"),
        ("fds", "file .avi"),
        ("children", "python"),
        ("temporary", "lmkl*.tmp"),
    ],
)
def test_that_whatever_is_left_behind_now_and_then_is_found_and_named(group, name, every):
    found = wrong(run_of(change=planted(group, name, every)))
    words = analysis.COUNTED[group]
    # What is active now and at rest then has a steady number only in all.
    named = "all" if group == "timers" else name
    assert any(
        sentence.startswith((f"{words}: {named} grows", f"{words}, {named} grows"))
        for sentence in found
    )


def test_that_one_thread_that_comes_once_is_no_growth():
    def later(number, row):
        row["os_threads"]["pool"] = int(number > 20)

    assert wrong(run_of(change=later)) == []


def test_that_a_leak_of_memory_is_found_though_memory_goes_up_and_down():
    def leak(number, row):
        row["uss"] += number * 0.75 * MIB  # 36 MiB an hour

    (sentence,) = wrong(run_of(change=leak))
    assert sentence.startswith("memory: USS, MiB grows")
    slope = analysis.growths(analysis.after(run_of(change=leak), 600.0))[0]
    assert slope.low < 36 < slope.high


def test_that_memory_may_rise_in_the_warm_up():
    def fill(number, row):
        row["uss"] += min(number, 7) * 30 * MIB

    assert wrong(run_of(change=fill)) == []


def test_that_memory_in_a_single_peak_is_no_growth():
    def peak(number, row):
        row["rss"] += (number == 30) * 400 * MIB

    assert wrong(run_of(change=peak)) == []


def test_that_more_and_more_objects_are_found_and_their_type_named():
    def leak(number, row):
        row["types"]["Sample"] = 40 * number
        row["python_objects"] += 40 * number

    rows = run_of(change=leak)
    (sentence,) = wrong(rows)
    assert sentence.startswith("Python objects grows")
    assert [one.name for one in analysis.growing_types(rows)] == ["Sample"]


def test_that_what_is_stored_must_not_grow():
    def journal(number, row):
        row["stored_bytes"] += 1000 * number

    (sentence,) = wrong(run_of(change=journal))
    assert "bytes in that folder" in sentence


def test_that_a_program_that_becomes_slower_is_found():
    def slow(number, row):
        row["cpu_per_scored"] *= 1 + number / 60

    (sentence,) = wrong(run_of(change=slow))
    assert "CPU time of the scoring thread" in sentence
    pace = analysis.paces(run_of(change=slow))[0]
    assert pace.ratio == pytest.approx(1.4, abs=0.1)


def test_that_errors_and_waits_in_vain_fail_a_run():
    found = wrong(run_of(), **{"steps waited in vain": 2, "errors were logged": 0})
    assert found == ["2 steps waited in vain."]


def test_that_a_run_of_few_rounds_is_not_judged_for_growth():
    rows = run_of(5, change=planted("fds", "pipe", 1))
    assert wrong(rows, warm_up=0.0) == []
    assert all(one.grows is None for one in analysis.growths(rows))


def test_that_nothing_is_said_of_a_run_without_a_checkpoint():
    assert wrong([]) == []
    assert analysis.paces([]) == []


def test_that_help_states_what_fails_a_run(capsys):
    with pytest.raises(SystemExit):
        options_from(["--help"])
    words = capsys.readouterr().out
    assert f"more than {analysis.MEMORY_LIMIT:g} MiB an hour" in words
    assert f"over {analysis.SLOWER_LIMIT:g} times" in words
