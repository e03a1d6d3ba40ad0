"""A short round of the soak benchmark, with the smallest preset."""

import json
from functools import partial

from benchmarks import soak, soak_rounds

PARTS = ("open_dialogs",)
"""A part that takes few seconds; the others wait for frames."""


def test_that_a_round_drives_the_window_and_yields_figures(demo, qapp, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(soak_rounds, "Rounds", partial(soak_rounds.Rounds, parts=PARTS))
    demo.present(None)
    output = tmp_path / "soak.json"
    arguments = ["--rounds", "1", "--preset", "tiny", "--rests", "0.1", "--recorded", "3"]
    options = soak.options_from([*arguments, "--output", str(output)])
    run = soak.run(options, make_demo=lambda: demo)
    found = json.loads(output.read_text())
    assert (found["timed_out"], found["errors"], found["dialogs_closed"]) == ([], {}, 8)
    (row,) = found["checkpoints"]
    assert row["milliseconds_a_frame"] > 0
    assert row["counts"]["threads"] > 3
    assert soak.report(run.results()) == []
