"""Files of weights: read without torch as torch reads them, or refused."""

import io
import os
import pickle
import struct
import zipfile
from collections import OrderedDict

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.filling import State, fill
from lmkl_core.features.networks.registry import NETWORKS
from lmkl_core.features.weights import tensors as module
from lmkl_core.features.weights.tensors import read_tensors

SPEC = NETWORKS["efficientnet-lite0"]
NAME, VARIANCE = "_blocks.3._bn1.bias", "_blocks.3._bn1.running_var"


@pytest.fixture(scope="module")
def weights(lite0):
    return read_tensors(lite0)


def test_that_the_published_file_is_read_as_torch_reads_it(lite0, weights):
    expected = torch.load(lite0, weights_only=True)
    assert list(weights) == list(expected)
    assert any(not value.is_contiguous() for value in expected.values())
    for name, value in expected.items():
        np.testing.assert_array_equal(weights[name], value.numpy())


def odd_tensors():
    whole = torch.arange(24.0).reshape(2, 3, 4)
    return {
        "whole": whole,
        "transposed": whole.transpose(0, 2),
        "window": whole[1:, :, ::2],
        "number": torch.tensor(3.5),
        "empty": torch.empty(0, 3),
        "half": whole.half(),
        "double": whole.double(),
        "long": torch.arange(5),
        "bool": torch.tensor([True, False]),
        "parameter": torch.nn.Parameter(whole[0]),
    }


@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("kind", [dict, OrderedDict])
def test_that_strides_types_and_shared_storages_are_honoured(tmp_path, is_zip, kind):
    state = kind(odd_tensors())
    torch.save(state, tmp_path / "w.pth", _use_new_zipfile_serialization=is_zip)
    found = read_tensors(tmp_path / "w.pth")
    assert list(found) == list(state)
    for name, value in state.items():
        expected = value.detach().numpy()
        assert found[name].dtype == expected.dtype
        np.testing.assert_array_equal(found[name], expected)


def test_that_safetensors_files_are_read_as_well(tmp_path):
    save_file({"a": torch.arange(3.0)}, tmp_path / "w.pth")
    assert read_tensors(tmp_path / "w.pth")["a"].tolist() == [0, 1, 2]


def refusal(path):
    with pytest.raises(InvalidInputError) as caught:
        read_tensors(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


class Payload:
    """An object that creates a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.fault("Hostile files", "pickles instead of models and weights")
@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "legacy"])
def test_that_code_in_a_file_does_not_run(tmp_path, is_zip):
    state = {"a": Payload(str(tmp_path / "owned"))}
    torch.save(state, tmp_path / "w.pth", _use_new_zipfile_serialization=is_zip)
    assert "mkdir" in refusal(tmp_path / "w.pth")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("is_zip", [True, False], ids=["zip", "legacy"])
def test_that_missing_damaged_and_truncated_files_are_refused(tmp_path, is_zip):
    path = tmp_path / "w.pth"
    refusal(path)
    torch.save({"a": torch.arange(1000.0)}, path, _use_new_zipfile_serialization=is_zip)
    data = path.read_bytes()
    truncated = [data[: int(len(data) * share)] for share in (0.1, 0.5, 0.999)]
    for content in (b"", b"not weights at all", bytes(range(256)) * 40, b"PK", *truncated):
        path.write_bytes(content)
        refusal(path)


def test_that_a_file_without_named_tensors_is_refused(tmp_path):
    tensor = torch.ones(1)
    for content in ([tensor], {"a": 1.0}, {1: tensor}, {(1, 2): tensor}, tensor):
        torch.save(content, tmp_path / "w.pth")
        assert "named tensors" in refusal(tmp_path / "w.pth")


def archive(path, description, numbers=bytes(16), method=zipfile.ZIP_STORED):
    """Write a file with our own description."""
    with zipfile.ZipFile(path, "w", method) as out:
        out.writestr("w/data.pkl", description)
        out.writestr("w/data/0", numbers)
    return path


class Storage:
    """Represents a storage when it is pickled."""

    def __init__(self, length):
        self.length = length


def described(length, offset, shape, strides):
    """Return the description of one tensor named ``a``."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            if isinstance(value, Storage):
                return "storage", torch.FloatStorage, "0", "cpu", value.length
            return None

    class Tensor:
        def __reduce__(self):
            arguments = Storage(length), offset, shape, strides, False, OrderedDict()
            return torch._utils._rebuild_tensor_v2, arguments

    buffer = io.BytesIO()
    Pickler(buffer, 2).dump({"a": Tensor()})
    return buffer.getvalue()


@pytest.mark.fault("Hostile files", "weights whose shapes do not fit their data")
def test_that_tensors_stay_inside_their_storage(tmp_path, attempt):
    path, numbers = tmp_path / "w.pth", struct.pack("<4f", *range(4))
    good = read_tensors(archive(path, described(4, 0, (2, 2), (2, 1)), numbers))
    assert good["a"].tolist() == [[0, 1], [2, 3]]
    for values in (
        (5, 0, (5,), (1,)),
        (4, 1, (4,), (1,)),
        (4, 0, (2, 3), (2, 1)),
        (4, 0, (1 << 29, 1 << 29), (0, 0)),
        (4, 0, (100,), (0,)),
        (4, 0, (2, 2), (-1, 1)),
        (4, -1, (2,), (1,)),
        (4, 0, (2,), (1, 1)),
        (1 << 62, 0, (4,), (1,)),
        (4, 0, ("2",), (1,)),
        (4, 0, (1,) * 9, (1,) * 9),
        (4.0, 0, (2,), (1,)),
    ):
        with attempt():
            refusal(archive(path, described(*values)))


@pytest.mark.fault("Hostile files", "weights that unpack to more than any network needs")
def test_that_compressed_and_huge_files_are_not_read(tmp_path, monkeypatch):
    good = described(4, 0, (4,), (1,))
    packed = archive(tmp_path / "packed.pth", good, bytes(200_000), zipfile.ZIP_DEFLATED)
    assert "compressed entries" in refusal(packed)
    monkeypatch.setattr(module, "LARGEST_FILE", 100_000)
    assert "larger than any network" in refusal(packed)
    assert "more than any network" in refusal(archive(tmp_path / "large.pth", good, bytes(200_000)))


def test_that_hostile_descriptions_are_refused(tmp_path):
    for description in (
        b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.",  # a call
        b"\x80\x02" + b"(" * 200_000 + b"t" * 200_000 + b".",  # deeply nested
        b"\x80\x02j\xff\xff\xff\xff.",  # a memo entry that does not exist
        b"\x80\x02]q\x00(h\x00h\x00h\x00es.",  # a list that contains itself
        b"\x80\x02K\x01",  # truncated
        b"\x80\x02K\x01K\x02b.",  # modifies a number
        b"",
    ):
        refusal(archive(tmp_path / "w.pth", description))


def filled(state):
    return fill(SPEC, State(SPEC, state, "x.pth"))


def test_that_weights_that_do_not_fit_are_refused_with_the_difference(weights):
    without = {key: value for key, value in weights.items() if key != NAME}
    for state, difference in (
        (without, f"{NAME} is missing"),
        (weights | {"head.weight": np.ones(1)}, "head.weight is not part"),
        (weights | {NAME: np.ones((2, 3))}, rf"{NAME} has shape \(2, 3\) instead"),
        (weights | {NAME: weights[NAME].astype(int)}, "int64"),
        (weights | {NAME: weights[NAME] * np.inf}, "not finite"),
        (weights | {VARIANCE: -weights[VARIANCE] - 1}, "_bn1 cannot be folded"),
        ({}, "_conv_stem.weight is missing"),
    ):
        with pytest.raises(InvalidInputError, match=rf"^The weights file x\.pth .*{difference}"):
            filled(state)


def test_that_classifier_and_step_counters_may_be_missing(weights):
    slim = {
        name: value
        for name, value in weights.items()
        if not name.startswith("_fc.") and not name.endswith("num_batches_tracked")
    }
    assert len(slim) < len(weights)
    assert len(filled(slim)) == len(SPEC.layers)
