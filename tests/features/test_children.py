"""Children that answer, crash, hang, chatter and are stopped."""

import sys
import threading

import pytest

from lmkl_core.errors import Cancelled
from lmkl_core.features.engines.children import ask
from lmkl_core.system.processes import module_command

CHILD = """
import os, signal, sys, threading
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.children import serve

def answer(job):
    what = job["do"]
    if what == "crash":
        os.kill(os.getpid(), signal.SIGILL)
    if what == "hang":
        threading.Event().wait()
    if what == "die speaking":
        os.write(1, b'\\n@lmkl {"did": "di')
        os._exit(3)
    if what == "leave":
        sys.exit("nothing more to say")
    if what == "invalid":
        raise InvalidInputError("The file is wrong.")
    if what == "raise":
        raise KeyError("x")
    print("chatter of a library")
    if what == "mumble":
        sys.stdout.flush()
        sys.stdout.buffer.write(b"f\\xfcr Umlaute, without the end of a line")
        sys.stdout.buffer.flush()
    return {"did": what}

serve(answer)
"""
GRAPH = {
    "network": "efficientnet-lite0",
    "size": 64,
    "photometry": "none",
    "outputs": [{"layer": "block2", "pooling": "std", "normalisation": "l2"}],
}
COMMAND = [sys.executable, "-c", CHILD]


def answers(*jobs, timeout=120.0, cancel=None):
    return list(ask(COMMAND, [{"do": job} for job in jobs], timeout=timeout, cancel=cancel))


ANSWERS = {
    "a": {"did": "a"},
    "invalid": {"invalid": "The file is wrong."},
    "raise": {"failed": "KeyError: 'x'"},
    "mumble": {"did": "mumble"},
    "leave": {"failed": "it ended with exit code 1 (nothing more to say)"},
    "die speaking": {"failed": "it ended with exit code 3 (it said nothing)"},
    "crash": {"failed": "it was ended by SIGILL"},
    "b": {"did": "b"},
}


@pytest.mark.fault("Engines", "a trial run that is killed, hangs or talks nonsense")
def test_that_answers_come_in_order_whatever_a_child_says_and_however_it_dies(attempt):
    asked = [job for job in ANSWERS if job != "crash" or sys.platform != "win32"]
    for job, answer in zip(asked, answers(*asked), strict=True):
        with attempt():
            assert answer == ANSWERS[job], job


def test_that_a_child_imports_nothing_from_the_folder_the_person_is_in(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)
    job = {"folder": str(tmp_path), "key": "none", "engine": "onnxruntime", "graph": GRAPH}
    (reply,) = ask(module_command("lmkl_core.features.engines.probe"), [job], timeout=120.0)
    assert reply == {"failed": "the exported graph has gone from the cache"}


@pytest.mark.fault("Engines", "a trial run that is killed, hangs or talks nonsense")
def test_that_a_hanging_child_is_given_up():
    assert answers("hang", timeout=0.3) == [{"failed": "it gave no answer within 0 seconds"}]


def test_that_the_wish_to_stop_ends_a_hanging_child():
    asked = threading.Event()

    def cancel():
        if asked.is_set():
            return True
        asked.set()
        return False

    with pytest.raises(Cancelled, match="cancelled"):
        answers("hang", cancel=cancel)


def test_that_no_child_is_started_without_jobs():
    assert list(ask(["no such program"], [], timeout=1.0)) == []
