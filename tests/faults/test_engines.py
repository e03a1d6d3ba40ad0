"""Engines that crash, hang or miscompute are detected in a child process, remembered and not used.

Faults are real and injected into the real trial run: its process executes an illegal instruction,
reads address zero, is killed. Scores must be those of torch, whatever happens to the fast engine.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import asdict

from lmkl_core.features.engines import choose, probe
from lmkl_core.features.engines.cache import Cache, Probe
from lmkl_core.features.engines.onnx_engine import OnnxEngine
from lmkl_core.features.engines.probe import LIMIT, relative_difference
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import Branch, Crop, Preset
from tests.features.small_preset import crops_for

ROOT = Path(__file__).resolve().parents[2]
ONE = Preset(
    "one", "", (Crop("face", 32),), (Branch("efficientnet-lite0", ("face",), ("block0",)),)
)
CROPS = crops_for(ONE, 2)
KEY = "ab" * 32
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

# Runs at the start of every Python; the process whose command contains FAULT_IN gets FAULT.
INJECTION = '''
import ctypes, os, signal, sys, threading

def illegal_instruction():
    """Execute ud2, or udf on ARM."""
    import mmap, platform
    code = {"x86_64": b"\\x0f\\x0b", "aarch64": bytes(4)}[platform.machine()]
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()

def address_zero():
    ctypes.string_at(0)

def killed():
    os.kill(os.getpid(), signal.SIGKILL)

def terminated():
    os.kill(os.getpid(), signal.SIGTERM)

def interrupted():
    raise KeyboardInterrupt

def hanging():
    threading.Event().wait()

def leaving():
    os._exit(0)

def raising():
    raise RuntimeError("no such kernel")

def no_answer():
    os.write(1, b'{"problem": ""}')
    os._exit(0)

def wrong(values):
    return [value * 1.01 for value in values]

def nan(values):
    return [value * float("nan") for value in values]

where, what = os.environ.get("FAULT_IN", ""), os.environ.get("FAULT", "")
if what and where in " ".join(sys.orig_argv):
    import onnxruntime
    real, fault = onnxruntime.InferenceSession.run, globals()[what]

    def run(self, *arguments):
        if what in ("wrong", "nan"):
            return fault(real(self, *arguments))
        fault()

    onnxruntime.InferenceSession.run = run
'''
FAULTS = {
    "illegal_instruction": "it was killed by SIGILL",
    "address_zero": "it was killed by SIGSEGV",
    "killed": "it was killed by SIGKILL",
    "hanging": "no answer within 1 seconds",
    "leaving": "it ended with exit code 0",
    "raising": "RuntimeError: no such kernel",
    "no_answer": "it ended with exit code 0",
    "wrong": "off by 1.0e-02",
    "nan": "values are NaN",
}


@pytest.fixture(scope="module")
def safe(tmp_path_factory):
    """Return torch's extractor, and a cache in which only onnxruntime has not been tried."""
    cache = Cache(tmp_path_factory.mktemp("engines"))
    Extractor(ONE, cache=cache)
    (key,) = [path.stem for path in (cache.folder / "graphs").glob("*.graph")]
    # Skips a child process that imports torch, which is slow; test_extractor starts one.
    cache.remember(Probe(probe.probe_key("torch", key), "torch", "x", ""))
    torch = Extractor(ONE, engine="torch", cache=cache)
    (cache.folder / "probes" / f"{probe.probe_key('onnxruntime', key)}.json").unlink()
    return torch, cache


@pytest.fixture
def fresh(safe, tmp_path):
    """Return a copy of that cache, which a test may change."""
    shutil.copytree(safe[1].folder, tmp_path / "cache")
    return Cache(tmp_path / "cache")


@pytest.fixture
def inject(tmp_path, monkeypatch):
    """Return a function that injects a fault into processes started from now on."""
    (tmp_path / "faults").mkdir()
    (tmp_path / "faults" / "sitecustomize.py").write_text(INJECTION)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "faults"))

    def set_fault(fault, where=choose.PROBE):
        monkeypatch.setenv("FAULT", fault)
        monkeypatch.setenv("FAULT_IN", where)

    return set_fault


def scores_are_right(extractor, torch):
    found, expected = extractor(CROPS), torch(CROPS)
    return relative_difference(list(found.values()), list(expected.values())) <= LIMIT


@pytest.mark.fault(
    "Engines",
    "a faster engine whose trial run is killed by a signal, hangs, raises, exits, answers garbage "
    "or miscomputes",
    keeps="scores",
)
@pytest.mark.parametrize("fault", FAULTS)
def test_that_an_engine_that_fails_in_its_trial_run_is_not_used(
    attempt, safe, fresh, inject, monkeypatch, capfd, fault
):
    inject(fault)
    if fault == "hanging":
        monkeypatch.setattr(choose, "SECONDS", 1.0)
    with attempt() as trial:
        extractor = Extractor(ONE, cache=fresh)
        assert extractor.engine_names == ("torch",)
        (note,) = extractor.notes
        assert FAULTS[fault] in note
        trial.expect_kept(scores_are_right(extractor, safe[0]))
    # The next start remembers and does not try again.
    monkeypatch.setattr(choose, "run_child", lambda *_: pytest.fail("a child was started"))
    again = Extractor(ONE, cache=Cache(fresh.folder))
    assert (again.engine_names, again.notes) == (("torch",), (note,))
    assert [FAULTS[fault] in failed.problem for failed in fresh.failed_probes()] == [True]
    assert capfd.readouterr() == ("", "")


@pytest.mark.fault(
    "Engines", "a trial run interrupted by Ctrl-C or the end of a session", keeps="scores"
)
@pytest.mark.parametrize("fault", ["terminated", "interrupted"])
def test_that_an_interrupted_trial_run_does_not_count_against_its_engine(
    attempt, safe, fresh, inject, fault
):
    inject(fault)
    with attempt() as trial:
        extractor = Extractor(ONE, cache=fresh)
        assert extractor.engine_names == ("torch",)
        assert "interrupted" in extractor.notes[0]
        trial.expect_kept(scores_are_right(extractor, safe[0]))
        assert fresh.failed_probes() == []
        inject("")
        assert Extractor(ONE, cache=Cache(fresh.folder)).engine_names == ("onnxruntime",)


START = """
import sys
import numpy as np
from lmkl_core.features.extractor import Extractor
from tests.faults.test_engines import CROPS, ONE
extractor = Extractor(ONE, cache=sys.argv[1])
np.savez(sys.argv[2], **{name.replace("/", "_"): row for name, row in extractor(CROPS).items()})
print(*extractor.engine_names, *extractor.notes)
"""


def start(cache, file):
    """Start a program with a cache; THE-PROGRAM in its command distinguishes it from children."""
    return subprocess.run(
        [sys.executable, "-c", START, str(cache.folder), str(file), "THE-PROGRAM"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{os.environ['PYTHONPATH']}{os.pathsep}{ROOT}"},
    )


@pytest.mark.fault(
    "Engines",
    "a faster engine that crashes the program after a successful trial run",
    keeps="scores",
)
def test_that_an_engine_that_crashes_the_program_does_not_crash_every_start(
    attempt, safe, fresh, inject, tmp_path
):
    inject("illegal_instruction", "THE-PROGRAM")
    file = tmp_path / "views.npz"
    with attempt() as trial:
        codes = [start(fresh, file).returncode for _ in range(choose.MOST_DEATHS)]
        assert all(code < 0 for code in codes)
        third = start(fresh, file)
        assert third.returncode == 0, third.stderr
        assert third.stdout.startswith("torch ")
        assert "crashed 2 times" in third.stdout
        found, expected = list(np.load(file).values()), list(safe[0](CROPS).values())
        trial.expect_kept(relative_difference(found, expected) <= LIMIT)
    assert not list(fresh.folder.glob("probes/*.using"))


@pytest.mark.fault("Engines", "a faster engine that fails at its first real run", keeps="scores")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda outputs: [output * np.float32(1.01) for output in outputs], "off by 1.0e-02"),
        (lambda outputs: [output * np.float32(np.nan) for output in outputs], "off by inf"),
        (lambda outputs: outputs[0].no_such_attribute, "AttributeError"),
    ],
    ids=["wrong", "nan", "raises"],
)
def test_that_an_engine_whose_first_real_run_fails_is_not_used(
    attempt, safe, fresh, monkeypatch, change, problem
):
    real = OnnxEngine.run
    monkeypatch.setattr(OnnxEngine, "run", lambda self, crops: change(real(self, crops)))
    with attempt() as trial:
        extractor = Extractor(ONE, cache=fresh)
        assert extractor.engine_names == ("torch",)
        assert problem in extractor.notes[0]
        trial.expect_kept(scores_are_right(extractor, safe[0]))


def good_probe(**changes):
    return asdict(Probe(KEY, "onnxruntime", "x", "")) | changes


HOSTILE = [
    json.dumps(good_probe(key="cd" * 32)),
    json.dumps({key: value for key, value in good_probe().items() if key != "key"}),
    json.dumps(good_probe(problem=0)),
    json.dumps(good_probe(problem=False)),
    json.dumps(good_probe(problem=["x"])),
    json.dumps(good_probe(time=None)),
    json.dumps(good_probe(engine=1)),
    json.dumps(good_probe(unknown=1)),
    "[" * 60_000,
    json.dumps(good_probe())[:-5],
]


@pytest.mark.fault(
    "Engines",
    "a stored trial run that is damaged, hostile or from another machine",
    keeps="scores",
)
def test_that_an_invalid_stored_trial_run_is_ignored(tmp_path, attempt):
    cache = Cache(tmp_path)
    cache.remember(Probe(KEY, "onnxruntime", "x", ""))
    assert cache.probe(KEY) is not None
    for text in HOSTILE:
        (tmp_path / "probes" / f"{KEY}.json").write_text(text)
        with attempt():
            assert (cache.probe(KEY), cache.failed_probes()) == (None, []), text[:100]


def test_that_crashes_are_counted_until_a_process_survives(tmp_path):
    cache = Cache(tmp_path)
    (tmp_path / "probes").mkdir()
    (tmp_path / "probes" / f"{KEY}.using").write_bytes(b"..")
    with cache.first_use(KEY) as deaths:
        assert deaths == 2
        with cache.first_use(KEY) as deaths_of_others:
            assert deaths_of_others == 0
    with cache.first_use(KEY) as deaths:
        assert deaths == 0
    assert list((tmp_path / "probes").iterdir()) == []


def test_that_an_engine_runs_if_crashes_cannot_be_counted(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file")
    with Cache(tmp_path / "taken").first_use(KEY) as deaths:
        assert deaths == 0

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    cache = Cache(tmp_path)
    for _ in range(2):
        with cache.first_use(KEY) as deaths:
            assert deaths == 0
    assert not list((tmp_path / "probes").glob("*.using"))
