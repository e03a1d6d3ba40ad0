"""Trial runs that answer, crash, hang, chatter and are stopped."""

import sys
import threading

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

def answer(engine, job, cache):
    if job.key == "crash":
        os.kill(os.getpid(), signal.SIGILL)
    if job.key == "hang":
        threading.Event().wait()
    if job.key == "leave":
        sys.exit("nothing more to say")
    if job.key == "invalid":
        raise InvalidInputError("The file is wrong.")
    if job.key == "raise":
        raise KeyError("x")
    os.write(1, b"f\\xfcr Umlaute, without the end of a line")
    print("chatter of a library")
    return job.key

probe._try = answer
probe.main()
"""
GRAPH = Graph("efficientnet-lite0", 64, "none", (Output("block2", "std", "l2"),))


def ask(key, cancel=None):
    command = [sys.executable, "-c", CHILD]
    return run_child(command, "onnxruntime", Task(GRAPH, "none", key), Cache("nowhere"), cancel)


@pytest.mark.fault("Engines", "a trial run that is killed, hangs or answers garbage")
def test_that_a_trial_run_answers_whatever_it_prints_and_however_it_dies(attempt):
    answers = {
        "off by one": "off by one",
        "raise": "a trial run failed: KeyError: 'x'",
        "leave": "a trial run failed: it ended with exit code 1 (nothing more to say)",
        "crash": "a trial run failed: it was ended by SIGILL",
    }
    for key, answer in answers.items():
        if key != "crash" or sys.platform != "win32":
            with attempt():
                assert ask(key) == answer
    with pytest.raises(InvalidInputError, match=r"^The file is wrong\.$"):
        ask("invalid")


def test_that_a_child_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)
    task, command = Task(GRAPH, str(tmp_path / "none"), "none"), module_command(choose.PROBE)
    with pytest.raises(InvalidInputError, match="No such file"):
        run_child(command, "onnxruntime", task, Cache(tmp_path))


@pytest.mark.fault("Engines", "a trial run that is killed, hangs or answers garbage")
def test_that_a_hanging_child_is_given_up(monkeypatch):
    monkeypatch.setattr(choose, "SECONDS", 0.3)
    assert ask("hang") == "a trial run failed: it gave no answer within 0 seconds"


def test_that_an_engine_is_not_even_imported_here_unless_its_trial_run_succeeded(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "lmkl_core.features.engines.onnx_engine", None)
    cache, task = Cache(tmp_path), Task(GRAPH, str(tmp_path / "none"), "none")
    key = probe_key("onnxruntime", task.key)
    cache.remember(Probe(key, "onnxruntime", GRAPH.label, "it was ended by SIGILL"))
    with pytest.raises(EngineError, match="because it was ended by SIGILL; choose"):
        Chooser("onnxruntime", cache)([task])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_that_an_export_that_was_killed_is_tried_again_at_the_next_start(tmp_path, monkeypatch):
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    monkeypatch.setattr(choose, "module_command", lambda module: killed)
    cache = Cache(tmp_path)
    with pytest.raises(EngineError, match="it was ended by SIGKILL"):
        Chooser("onnxruntime", cache)([Task(GRAPH, str(tmp_path / "none"), "none")])
    assert cache.failed_probes() == []


def test_that_a_hanging_child_can_be_cancelled():
    asked = threading.Event()

    def cancel():
        if asked.is_set():
            return True
        asked.set()
        return False

    with pytest.raises(Cancelled, match="cancelled"):
        ask("hang", cancel)
