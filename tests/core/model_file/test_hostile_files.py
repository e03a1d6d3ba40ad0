"""Hostile model files are refused in one sentence that names the problem.

`tests.faults.test_hostile_fuzzing` tries mutants of valid files, and
`tests.faults.test_hostile_files` pipes.
"""

import os
import pickle
import random
import struct
import tracemalloc

import numpy as np
import pytest
from safetensors.numpy import save

from lmkl_core import ModelFileError, load_model
from lmkl_core.kernels import KERNELS
from lmkl_core.model_file import from_bytes, to_bytes
from lmkl_core.model_file.container import LARGEST_HEADER, seal
from lmkl_core.model_file.files import UNFORESEEN
from tests.core.model_file_mutations import small_model, unsealed, with_header, with_manifest


@pytest.fixture(scope="module")
def data():
    return to_bytes(small_model("views"))


def assert_one_sentence(message):
    assert UNFORESEEN not in message, message
    assert message.startswith("Model file 'bad.lmkl' cannot be used because "), message
    assert message.endswith("."), message
    assert message.isprintable(), message
    assert len(message) < 450, message


def refused(data):
    """Return the message of the refusal."""
    with pytest.raises(ModelFileError) as caught:
        from_bytes(data, "bad.lmkl")
    assert_one_sentence(str(caught.value))
    return str(caught.value)


@pytest.mark.fault("Hostile files", "a model file with any one bit flipped")
def test_that_every_single_bit_flip_is_detected(data):
    rng = random.Random(1)
    for position in range(len(data)):
        flipped = bytearray(data)
        flipped[position] ^= 1 << rng.randrange(8)
        refused(bytes(flipped))


@pytest.mark.fault("Hostile files", "a model file truncated or extended")
def test_that_truncated_and_extended_files_are_refused(data):
    for length in [*range(0, 300), *range(300, len(data), 17)]:
        refused(data[:length])
    for tail in (b"\0", b"x" * 8, data):
        refused(data + tail)


def nested(depth):
    return "[" * depth + "]" * depth


@pytest.mark.fault("Hostile files", "JSON tricks in a model file")
def test_that_json_tricks_are_refused(data, attempt):
    for text, message in [
        ('{"a":1,"a":2}', "repeats a key"),
        ('{"a":NaN}', "not well-formed"),
        ('{"a":-Infinity}', "not well-formed"),
        ('{"a":1e999}', "out of range"),
        ('{"a":' + "9" * 5000 + "}", "out of range"),
        ('{"a":"\\ud800"}', "not well-formed"),
        ('{"a":' + nested(100_000) + "}", "nested too deeply"),
        ('{"a":' + nested(990) + "}", "nested too deeply"),
        ('{"a":' + nested(32) + "}", "nested too deeply"),
        ('{"a":' + nested(31) + "}", "another program"),
        (nested(500), "Expected `object`"),
        ("{}", "another program"),
        ("", "not well-formed"),
        ('{"format":"else"}', "another program"),
    ]:
        with attempt():
            assert message in refused(with_manifest(data, text))


def test_that_the_header_is_parsed_strictly(data):
    assert "repeats" in refused(with_header(data, lambda _: '{"a":1,"a":2}'))
    assert "not well-formed" in refused(with_header(data, lambda _: nested(50_000)))
    assert "too deeply" in refused(with_header(data, lambda _: f'{{"a":{nested(50_000)}}}'))
    assert "no manifest" in refused(with_header(data, lambda _: "{}"))
    assert "not well-formed" in refused(struct.pack("<Q", 4) + b"\xff\xfe{}")


def refused_without_allocating(data):
    tracemalloc.start()
    try:
        refused(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.fault("Hostile files", "sizes in a model file that would fill the memory")
def test_that_a_huge_header_length_is_refused_without_allocating(attempt):
    for length in [LARGEST_HEADER + 1, 2**40, 2**63, 2**64 - 1]:
        with attempt():
            refused_without_allocating(struct.pack("<Q", length) + b"{}")


@pytest.mark.fault("Hostile files", "sizes in a model file that would fill the memory")
def test_that_a_false_tensor_entry_is_refused_without_allocating(data, attempt):
    shapes = [[10**9, 10**9], [2**62, 4], [-1, -36], [0, 10**18], [1.5, 2], [2, True], "2", []]
    shapes += [[1, 1, 1, 4]]
    offsets = [[0, 2**62], [8, 0], [0], [-8, 24]]
    entries = {"shape": shapes, "dtype": ["BF16", "F32"], "data_offsets": offsets, "more": [1]}
    for key, value in [(key, value) for key, values in entries.items() for value in values]:
        entry = {key: value}
        changed = with_header(data, lambda header, entry=entry: header["weights"].update(entry))
        with attempt():
            refused_without_allocating(changed)


def test_that_overlapping_tensors_and_other_metadata_are_refused(data):
    def overlap(header):
        header["weights"]["data_offsets"] = header["memberships"]["data_offsets"]
        header["weights"]["shape"] = header["memberships"]["shape"]

    refused(with_header(data, overlap))
    refused(with_header(data, lambda header: header["__metadata__"].update(more="x")))
    assert "no manifest" in refused(save({"weights": np.ones(3)}))


def move_threshold(document, by):
    document["threshold"]["threshold"] += by


CHANGES = {
    "unsafe threshold: enrol": lambda d, t: d.update(version=2),
    "format version 99 but this program reads version 3: update": lambda d, t: d.update(version=99),
    "its scores require": lambda d, t: move_threshold(d, -1e-6),
    "its scores give 1": lambda d, t: move_threshold(d, 100.0),
    "sum to 1": lambda d, t: t["memberships"].__imul__(1.1),
    "weights are negative": lambda d, t: t["weights"].__setitem__((0, 0), -0.1),
    "norm 4, above": lambda d, t: t["weights"].__imul__(2),
    "contains NaN": lambda d, t: t["dual_coef"].__setitem__(3, np.nan),
    "takes do not have": lambda d, t: t["takes"].__setitem__(0, 1),
    "that it does not list": lambda d, t: t["takes"].__setitem__(0, 2**40),
    "'foo', which is not registered": lambda d, t: d["views"][0].update(kernel="foo"),
    "temperature=0": lambda d, t: d["settings"].update(temperature=0),
    "p=0.5": lambda d, t: d["parameters"].update(p=0.5),
    "delta=-1": lambda d, t: d["parameters"].update(delta=-1),
    "instead of a seed": lambda d, t: d["parameters"].update(random_state=-1),
    ">= 0.0 - at `$.certificate.gap`": lambda d, t: d["certificate"].update(gap=-1e-9),
    "at `$.views[0].width`": lambda d, t: d["views"][0].update(width=0),
    "exceed its kernel's range": lambda d, t: d["views"][0].update(width=1e-30),
    "at `$.threshold.target_bpcer`": lambda d, t: d["threshold"].update(target_bpcer=1),
    "unknown tensor 'x'": lambda d, t: t.update(x=np.ones(2)),
    "tensor 'weights' is missing": lambda d, t: t.pop("weights"),
    "unknown field `x`": lambda d, t: d.update(x=1),
    "does not match its settings": lambda d, t: d.update(delta=1e9),
    "exceed 64 KiB": lambda d, t: d["extra"].update(x="x" * 70_000),
    "ISO 8601": lambda d, t: d.update(created="yesterday"),
    "do not add up": lambda d, t: d.update(takes=[1]),
    "its conditions do not match its takes": lambda d, t: d.update(conditions=[0]),
    "conditions do not match its takes": lambda d, t: d.update(conditions=[0, 2**40]),
    "promised is set without": lambda d, t: d["threshold"].update(promised=True),
    "at `$.threshold.promised`": lambda d, t: d["threshold"].update(promised="yes"),
    "n_takes exceeds n_scores": lambda d, t: d["threshold"].update(n_takes=13),
    "negative gaps": lambda d, t: t["history.gap"].__setitem__(0, -1e-9),
}

INDUCING_CHANGES = {
    "calibration rows is zero": lambda d, t: t.update({"calibration.takes": np.zeros(0, int)}),
    "calibration rows is zero or exceeds": lambda d, t: t.update(
        {"calibration.takes": np.zeros(13, int)}
    ),
    "an impossible rank of 26": lambda d, t: t.update({"map.0": np.zeros((8, 5))}),
    "cannot come from any data": lambda d, t: t["moments.second"].__imul__(-1e9),
}


@pytest.mark.parametrize(("kind", "changes"), [("views", CHANGES), ("inducing", INDUCING_CHANGES)])
def test_that_the_message_names_the_problem(kind, changes):
    data = to_bytes(small_model(kind))
    for problem, change in changes.items():
        document, tensors = unsealed(data)
        change(document, tensors)
        assert problem in refused(seal(document, tensors))


def test_that_a_kernel_that_raises_is_a_refusal(data, monkeypatch):
    def fail(X, Y, *, width):
        raise RuntimeError("boom")

    document, tensors = unsealed(data)
    document["views"][0]["kernel"] = "failing"
    monkeypatch.setitem(KERNELS, "failing", fail)
    assert "boom" in refused(seal(document, tensors))


def test_that_an_error_that_no_check_foresaw_is_a_refusal(data, monkeypatch):
    monkeypatch.setattr("lmkl_core.model_file.files.rebuild", lambda *_: 1 / 0)
    with pytest.raises(ModelFileError, match=UNFORESEEN):
        from_bytes(data)


def refused_path(path, **options):
    with pytest.raises(ModelFileError) as caught:
        load_model(path, **options)
    assert UNFORESEEN not in str(caught.value)
    return str(caught.value)


class Malicious:
    """Creates a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.fault("Hostile files", "pickles instead of models and weights")
def test_that_pickles_are_refused_and_never_run(tmp_path, attempt):
    path, trace = tmp_path / "model.lmkl", tmp_path / "trace"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        path.write_bytes(pickle.dumps(Malicious(str(trace)), protocol=protocol))
        with attempt():
            assert "'model.lmkl'" in refused_path(path)
            assert not trace.exists()


def test_that_missing_empty_and_other_files_are_distinguished(tmp_path, data):
    path = tmp_path / "model.lmkl"
    assert "no such file" in refused_path(path)
    assert "folder" in refused_path(tmp_path)
    assert "null character" in refused_path(f"{path}\0")
    for content, message in [
        (b"", "empty"),
        (b"abc", "too short"),
        (b"PK\x03\x04" + bytes(100), "does not start like"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "does not start like"),
        (data[:-1], "truncated"),
    ]:
        path.write_bytes(content)
        assert message in refused_path(path)
    if os.name == "posix":
        assert "not a regular file" in refused_path("/dev/zero")
        assert "cannot be used" in refused_path("/proc/self/mem")
    path.write_bytes(data)
    assert "exceed the limit" in refused_path(path, max_bytes=len(data) - 1)
    assert load_model(path, max_bytes=len(data)).view_names_ == ("a", "b")
