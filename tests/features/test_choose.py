"""Trial runs that answer, crash, hang, print and are cancelled."""

import sys

import pytest

from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.engines import choose
from lmkl_core.features.engines.cache import Cache, Probe
from lmkl_core.features.engines.choose import Chooser, run_child
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.engines.probe import Task, probe_key
from lmkl_core.features.networks.registry import Graph, Output
from lmkl_core.system.processes import module_command

CHILD = """
import os, signal, sys, threading
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines import probe
from lmkl_core.features.engines.engine import GraphMismatchError

def answer(engine, task, cache):
    if task.key == "crash":
        os.kill(os.getpid(), signal.SIGILL)
    if task.key == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if task.key == "hang":
        threading.Event().wait()
    if task.key == "exit":
        sys.exit("nothing more to say")
    if task.key == "invalid":
        raise InvalidInputError("The file is wrong.")
    if task.key == "raise":
        raise KeyError("x")
    if task.key == "mismatch":
        raise GraphMismatchError("its graph differs")
    os.write(1, b"f\\xfcr Umlaute, without the end of a line")
    print("output of a library")
    return task.key

probe._try = answer
probe.main()
"""
COMMAND = [sys.executable, "-c", CHILD]
GRAPH = Graph("efficientnet-lite0", 64, "none", (Output("block2", "std", "l2"),))


def problem_of(key, cancel=None):
    task = Task(GRAPH, "none", key)
    return run_child(COMMAND, "onnxruntime", task, Cache("nowhere"), cancel).problem


@pytest.mark.fault("Engines", "a trial run that is killed, hangs or answers garbage")
def test_that_a_trial_run_has_an_outcome_whatever_it_prints_and_however_it_ends(attempt):
    for key, expected in {
        "off by one": "off by one",
        "raise": "KeyError",
        "exit": "exit code 1 (nothing more to say)",
        "crash": "SIGILL",
    }.items():
        if key != "crash" or sys.platform != "win32":
            with attempt():
                assert expected in problem_of(key)
    with pytest.raises(InvalidInputError, match=r"^The file is wrong\.$"):
        problem_of("invalid")


def test_that_a_child_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)  # which may name the current folder
    task, command = Task(GRAPH, str(tmp_path / "none"), "none"), module_command(choose.PROBE)
    with pytest.raises(InvalidInputError, match="No such file"):
        run_child(command, "onnxruntime", task, Cache(tmp_path))


@pytest.mark.fault("Engines", "a trial run that is killed, hangs or answers garbage")
def test_that_a_hanging_child_is_given_up(monkeypatch):
    monkeypatch.setattr(choose, "SECONDS", 0.3)
    assert "no answer" in problem_of("hang")


def test_that_a_hanging_child_can_be_cancelled():
    answers = iter([False, True])
    with pytest.raises(Cancelled):
        problem_of("hang", lambda: next(answers))


def test_that_an_engine_is_not_even_imported_here_unless_its_trial_run_succeeded(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "lmkl_core.features.engines.onnx_engine", None)
    cache, task = Cache(tmp_path), Task(GRAPH, str(tmp_path / "none"), "none")
    key = probe_key("onnxruntime", task.key)
    cache.remember(Probe(key, "onnxruntime", GRAPH.label, "it was killed by SIGILL"))
    with pytest.raises(EngineError, match="SIGILL"):
        Chooser("onnxruntime", cache)([task])


@pytest.mark.parametrize(
    ("key", "problem", "children"),
    [
        pytest.param(
            *("killed", "SIGKILL", 2),
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL"),
        ),
        ("mismatch", "its graph differs", 1),
    ],
)
def test_that_a_killed_export_is_tried_again_and_a_refused_graph_is_not(
    tmp_path, monkeypatch, key, problem, children
):
    started = []
    monkeypatch.setattr(choose, "module_command", lambda module: started.append(key) or COMMAND)
    cache = Cache(tmp_path)
    for _ in range(2):
        with pytest.raises(EngineError, match=problem):
            Chooser("onnxruntime", cache)([Task(GRAPH, "none", key)])
    assert len(started) == children
    assert len(cache.failed_probes()) == 2 - children
