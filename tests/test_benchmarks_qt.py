"""The benchmarks of the window: that they measure what they say, without running for minutes."""

import time

import pytest

from app.qt.window_picture import rest, wait_until
from app.qt.workers.worker import sentence_of
from benchmarks import launch, responsiveness
from benchmarks.__main__ import NAMES
from benchmarks.heartbeat import Control, Heartbeat


@pytest.mark.parametrize("name", ["launch", "responsiveness"])
def test_that_the_command_knows_the_benchmarks_of_the_window(name):
    assert name in NAMES


def test_that_a_launch_is_timed_to_each_line_of_the_child():
    code = "print('shown', flush=True); import time; time.sleep(0.05); print('window')"
    times = launch.start(code, None)
    assert list(times) == ["shown", "window"]
    assert times["window"] - times["shown"] >= 0.04


def test_that_a_window_that_does_not_start_ends_the_benchmark_with_its_words():
    with pytest.raises(SystemExit, match="no such thing"):
        launch.start("raise SystemExit('no such thing')", None)


def test_that_the_ratio_is_the_median_of_pairs(capsys):
    rows = [(0.1, 0.3, 1.2), (0.2, 0.4, 1.0), (0.1, 0.24, 1.1)]
    assert launch.report("here", rows) == pytest.approx(2.4)
    assert "at most 2.5: yes" in capsys.readouterr().out


def test_that_a_busy_main_thread_shows_as_a_gap(qapp):
    def block():
        time.sleep(0.08)

    with Heartbeat() as heart:
        rest(0.03)
        block()
        rest(0.03)
    length, place = heart.longest
    assert length >= 0.08
    assert place == "Qt itself"  # nothing of the app: the test blocks it
    assert heart.over(0.05) >= 1


class Slow(ValueError):
    """An error that takes its time to say what it is."""

    def __str__(self):
        time.sleep(0.08)
        return "slow"


def test_that_a_gap_names_the_line_of_the_app_in_which_it_came(qapp):
    with Heartbeat() as heart:
        sentence_of(Slow(), "Waiting")
    assert heart.longest[1].startswith("workers/worker.py:")


def test_that_the_control_tells_its_longest_gap_and_begins_anew():
    with Control() as control:
        control.longest()
        time.sleep(0.03)
        assert 0.004 < control.longest() < 10
        assert control.longest() < 10


def test_that_waiting_ends_with_the_condition_or_with_the_time(qapp):
    calls = []
    assert wait_until(lambda: calls.append(1) or len(calls) == 3, 5)
    assert not wait_until(lambda: False, 0.03)


def test_that_a_slowed_scorer_gives_what_the_real_one_gives(monkeypatch):
    monkeypatch.setattr("app.session.scoring.score_frame", lambda *given: given)
    scorer = responsiveness.SlowedScorer()
    scorer.seconds = 0.03
    began = time.perf_counter()
    assert scorer("pipeline", "model", "frame") == ("pipeline", "model", "frame")
    assert time.perf_counter() - began >= 0.03
    assert scorer.n_scored == 1
