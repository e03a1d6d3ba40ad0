"""One round of the long run, with the smallest preset: that it does everything and counts it."""

import json

import pytest

from benchmarks import soak

PARTS = "enrol,change_takes,fit,export_and_open,open_dialogs,other_sources"
"""What takes few seconds; the rest waits for frames."""


@pytest.fixture
def tried(demo, qapp, tmp_path, monkeypatch):
    """Return a run of one round and what it wrote."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    demo.present(None)
    output = tmp_path / "soak.json"
    arguments = ["--rounds", "1", "--preset", "tiny", "--rests", "0.1", "--recorded", "3"]
    options = soak.options_from([*arguments, "--parts", PARTS, "--output", str(output)])
    run = soak.run(options, make_demo=lambda: demo)
    return run, json.loads(output.read_text())


def test_that_a_round_does_everything_and_yields_its_figures(tried, capsys):
    run, written = tried
    assert run.troubles == dict.fromkeys(run.troubles, 0), run.play.in_vain
    (row,) = written["checkpoints"]
    assert row["scored"] > 50
    assert row["shown"] > 50
    assert row["uss"] < row["rss"]
    assert row["cpu_per_scored"] > 0
    assert row["qthreads"].items() >= {"capture": 1, "scoring": 1, "fitting": 1}.items()
    assert row["windows"]["MainWindow"] == 1
    assert row["timers"]["active"] > 0
    assert row["os_threads"]
    assert row["fds"]["pipe"] > 0
    assert written["dialogs_closed"] == 9
    assert set(written["gaps"]) == {"50 ms", "100 ms", "250 ms", "1000 ms"}
    assert soak.report(run) == []
    assert "too few rounds" in capsys.readouterr().out
    assert "<svg" in soak.chart(run) or not run.sampler.samples
