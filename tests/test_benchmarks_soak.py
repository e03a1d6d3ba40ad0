"""The soak benchmark finds planted leaks."""

import random

import pytest

from benchmarks.soak_counts import growths


def run_of(n=40, leak=None, every=1.0):
    """Return the checkpoints of a run in which ``leak`` grows by one per ``every`` rounds."""
    noise = random.Random(7)
    rows = []
    for number in range(n):
        counts = {
            "memory: USS, MiB": 800 + noise.uniform(-4, 4),
            "Python objects": 16_000 + noise.randint(-40, 40),
            "threads": 9,
        }
        if leak:
            counts[leak] = counts.get(leak, 0) + int(number / every)
        rows.append({"seconds": number * 75.0, "milliseconds_a_frame": 20.0, "counts": counts})
    return rows


def growing(rows):
    return [growth.name for growth in growths(rows) if growth.grows]


@pytest.mark.parametrize(
    ("name", "every"), [("threads", 1), ("temporary file: .tmp", 8), ("memory: USS, MiB", 1.3)]
)
def test_that_a_leak_is_named(name, every):
    assert growing(run_of(leak=name, every=every)) == [name]


def test_that_noise_one_more_thread_and_few_rounds_do_not_count_as_growth():
    rows = run_of()
    for row in rows[20:]:
        row["counts"]["threads"] = 10
    assert growing(rows) == []
    assert growing(run_of(5, leak="threads")) == []
    assert growths([]) == []
