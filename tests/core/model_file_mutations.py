"""Mutations of model files with a valid digest, so that they reach the deeper checks.

The digest only detects damage: an attacker who changes a file also writes its digest. So every
mutant is sealed again by the writer's own function.
"""

import copy
import io
import json
import random
import struct

import numpy as np

from lmkl_core import LocalisedMKL
from lmkl_core.model_file.container import read_header, read_tensors, seal

VALUES = [
    None, True, False, 0, 1, 2, 3, -1, 7, 12, 2**31, 2**53, 2**63, 2**64 - 1, 0.0, -0.0, 0.5, 1.0,
    1.5, -1.5, 1e-5, 1e-30, 1e-310, 5e-324, 1e30, 1e99, 1e101, 1e308, -1e308, 1 + 1e-7, "", "x",
    "rbf", "linear", "precomputed", "auto", "exact", "inducing", "float32", "uniform", "single",
    "joint-vector", "disjoint-matrix", "algorithm-1", "view0", "a", "x" * 2000, "\n\x1b[31m",
    [], [0], [0.2, 0.1], [0, 1], ["rbf"], ["weights"], ["memberships", "memberships"], {},
    {"a": "rbf"}, {"": None},
]  # fmt: skip
"""Replacements of values in the manifest."""

NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e-300, 5e-324, 1e20, 1e99, 1e101, 1e308, -1e308, 3e38, -3e38,
    np.nan, np.inf, -np.inf, 1 + 1e-5,
]  # fmt: skip
"""Replacements of elements of a tensor."""


def small_model(kind):
    """Fit a model to a few rows: one of the kinds in the corpus of `tools.fuzzing`, or "views"."""
    rng = np.random.default_rng(4)
    n = 12
    views = {"a": rng.normal(size=(n, 2)), "b": rng.normal(size=(n, 3))}
    takes = np.repeat([0, 1], n // 2)
    options = {"n_clusters": 2, "delta": 0.1, "random_state": 0}
    if kind == "one array, float32":
        return LocalisedMKL(**options, target_bpcer=0.2).fit(views["b"].astype(np.float32))
    if kind == "precomputed":
        grams = {name: X @ X.T for name, X in views.items()}
        return LocalisedMKL(**options, kernel="precomputed").fit(grams, groups=takes)
    if kind == "inducing":
        options |= {"n_inducing": 5}
    if kind == "disjoint linear, grown":
        options |= {"constraint": "disjoint-matrix", "kernel": ["linear", "rbf"]}
    model = LocalisedMKL(**options).fit(views, groups=takes)
    if kind == "disjoint linear, grown":
        model.extend({name: X[:3] + 0.1 for name, X in views.items()})
    return model


def unsealed(data):
    """Return manifest and tensors of a valid file, as stored."""
    stream = io.BytesIO(data)
    header = read_header(stream, len(data))
    return header.document, read_tensors(stream, header)


def with_header(data, change):
    """Rewrite the safetensors header of a file; ``change`` gets it parsed."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    text = change(header)
    if text is None:  # as safetensors encodes it
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False)
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw + data[8 + length :]


def with_manifest(data, text):
    """Replace the manifest by any string, without a valid digest."""

    def change(header):
        header["__metadata__"]["lmkl"] = text

    return with_header(data, change)


def mutant(document, tensors, rng: random.Random):
    """Return the bytes of a file with one to three changes, and what they are."""
    document = copy.deepcopy(document)
    tensors = {name: array.copy() for name, array in tensors.items()}
    changes = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change = rng.choice([_manifest_value, _manifest_value, _manifest_key, _element, _tensor])
        changes.append(change(document, tensors, rng))
    return seal(document, tensors), changes


def _places(value, path=()):
    """Paths to all parts of a JSON value."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        if isinstance(part, (dict, list)):
            yield from _places(part, (*path, key))
        else:
            yield (*path, key)


def _parent(document, path):
    for key in path[:-1]:
        document = document[key]
    return document


def _manifest_value(document, tensors, rng):
    path = rng.choice(list(_places(document)))
    value = rng.choice(VALUES)
    old = _parent(document, path)[path[-1]]
    if isinstance(old, (int, float)) and not isinstance(old, bool) and rng.random() < 0.5:
        value = rng.choice([-old, old + 1, old - 1, old * 2, old * 1e-200, old * (1 + 1e-12)])
    if value in (float("inf"), float("-inf")) or value != value:
        value = 0
    _parent(document, path)[path[-1]] = copy.deepcopy(value)
    return path, value


def _manifest_key(document, tensors, rng):
    path = rng.choice(list(_places(document)))
    parent = _parent(document, path)
    old = parent.pop(path[-1])
    if rng.random() < 0.5:
        if isinstance(parent, dict):
            parent[rng.choice(["x", "p", "", "gap", f"{path[-1]} "])] = old
        else:
            parent.extend([old, copy.deepcopy(old)])
    return "key", path


def _element(document, tensors, rng):
    name = rng.choice([name for name, array in tensors.items() if array.size])
    array = tensors[name].reshape(-1)
    index = rng.choice([slice(None), rng.randrange(array.size), rng.randrange(array.size)])
    if array.dtype.kind != "f":
        limits = np.iinfo(array.dtype)
        wanted = rng.choice([-1, 0, 1, 2**40, limits.min, limits.max])
        array[index] = min(max(wanted, limits.min), limits.max)
        return name, index
    with np.errstate(all="ignore"):
        if rng.random() < 0.1:
            # Any bits: denormals, NaN with a payload, numbers of every size.
            array[:] = np.frombuffer(rng.randbytes(array.nbytes), array.dtype)
        elif rng.random() < 0.5:
            array[index] *= rng.choice([-1.0, 2.0, 1e10, 1e-10, 1e150, 1e-150])
        else:
            array[index] = rng.choice(NUMBERS)
    return name, index


def _tensor(document, tensors, rng):
    name = rng.choice(list(tensors))
    array = tensors.pop(name)
    kind = rng.choice(["drop", "rename", "dtype", "flat", "turn", "longer", "shorter", "swap"])
    if kind == "rename":
        tensors[rng.choice(["x", "support.9", "support.-1", "stress_scores", "map.0"])] = array
    elif kind == "dtype":
        with np.errstate(all="ignore"):
            tensors[name] = array.astype(rng.choice([np.float32, np.float64, np.int64, np.uint8]))
    elif kind == "flat":
        tensors[name] = array.reshape(-1) if array.ndim == 2 else array[:, None]
    elif kind == "turn":
        tensors[name] = np.ascontiguousarray(array.T)
    elif kind == "longer":
        tensors[name] = np.concatenate([array, array[:1]])
    elif kind == "shorter":
        tensors[name] = array[: rng.randrange(len(array) + 1)]
    elif kind == "swap" and tensors:
        other = rng.choice(list(tensors))
        tensors[name], tensors[other] = tensors[other], array
    return kind, name
