"""Files of weights that are wrong, each told in one sentence."""

import os
import zipfile

import pytest
import torch
from safetensors.torch import save_file

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks import find_network
from lmkl_core.features.networks import state_dict as module
from lmkl_core.features.networks.state_dict import fill, read_tensors

SPEC = find_network("efficientnet-lite0")
NAME = "_blocks.3._bn1.bias"


@pytest.fixture(scope="module")
def weights(lite0):
    return torch.load(lite0, weights_only=True)


@pytest.fixture
def stages():
    with torch.device("meta"):
        return SPEC.build()


def without(state, name):
    return {key: value for key, value in state.items() if key != name}


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda state: without(state, NAME), f"{NAME} is missing"),
        (lambda state: state | {"head.weight": torch.ones(1)}, "head.weight has no place"),
        (lambda state: state | {NAME: torch.ones(2, 3)}, rf"{NAME} has shape \(2, 3\) instead"),
        (lambda state: state | {NAME: state[NAME].to(torch.int32)}, "holds torch.int32"),
        (lambda state: state | {NAME: state[NAME] / 0}, "values that are not finite"),
        (lambda state: {}, "_conv_stem.weight is missing"),
    ],
)
def test_that_a_state_dict_that_does_not_fit_is_refused_with_the_first_difference(
    weights, stages, change, difference
):
    with pytest.raises(
        InvalidInputError, match=rf"^The weights file x\.pth .*{difference}"
    ) as told:
        fill(stages, SPEC, change(weights), "x.pth")
    assert str(told.value).count(". ") == 0
    assert str(told.value).endswith(".")


def test_that_files_in_the_format_before_zip_are_read(weights, stages, tmp_path):
    # As torchvision's older files are: no archive, and parameters instead of plain tensors.
    old = {
        name: torch.nn.Parameter(value) if name.endswith(".weight") else value
        for name, value in weights.items()
    }
    path = tmp_path / "old.pth"
    torch.save(old, path, _use_new_zipfile_serialization=False)
    assert not zipfile.is_zipfile(path)
    fill(stages, SPEC, read_tensors(path), path)
    assert torch.equal(stages.body.state_dict()[NAME], weights[NAME])


def test_that_classifier_and_step_counters_may_be_missing(weights, stages):
    slim = {
        name: value
        for name, value in weights.items()
        if not name.startswith("_fc.") and not name.endswith("num_batches_tracked")
    }
    assert len(slim) < len(weights)
    fill(stages, SPEC, slim, "x.pth")
    assert not any(stage.training for stage in stages.chain)


def test_that_half_precision_files_become_float32(weights, stages):
    half = {
        name: value.half() if value.is_floating_point() else value
        for name, value in weights.items()
    }
    fill(stages, SPEC, half, "x.pth")
    assert {parameter.dtype for parameter in stages.body.parameters()} == {torch.float32}


def test_that_safetensors_files_are_read_as_well(tmp_path):
    save_file({"a": torch.arange(3.0)}, tmp_path / "w.safetensors")
    assert read_tensors(tmp_path / "w.safetensors")["a"].tolist() == [0, 1, 2]


class Payload:
    """Pickled, it would make a folder when it is read."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.fault("Hostile files", "pickles in the place of models and weights")
def test_that_code_in_a_file_does_not_run(tmp_path):
    torch.save({"a": Payload(str(tmp_path / "owned"))}, tmp_path / "w.pth")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_tensors(tmp_path / "w.pth")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
@pytest.mark.parametrize("content", [b"", b"not weights at all", bytes(range(256)) * 40])
def test_that_a_damaged_file_is_refused_in_one_sentence(tmp_path, suffix, content):
    path = tmp_path / f"w{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"cannot be read \(\w+") as told:
        read_tensors(path)
    assert "\n" not in str(told.value)
    assert str(path) in str(told.value)


def test_that_a_truncated_file_is_refused(tmp_path):
    torch.save({"a": torch.arange(1000.0)}, tmp_path / "w.pth")
    data = (tmp_path / "w.pth").read_bytes()
    (tmp_path / "w.pth").write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_tensors(tmp_path / "w.pth")


def test_that_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match=r"gone\.pth cannot be read"):
        read_tensors(tmp_path / "gone.pth")


@pytest.mark.parametrize("content", [[torch.ones(1)], {"a": 1.0}, {1: torch.ones(1)}])
def test_that_a_file_of_something_else_is_refused(tmp_path, content):
    torch.save(content, tmp_path / "w.pth")
    with pytest.raises(InvalidInputError, match="does not hold named tensors"):
        read_tensors(tmp_path / "w.pth")


@pytest.mark.fault("Hostile files", "weights that unpack to more than any network has")
def test_that_a_file_that_unpacks_to_too_much_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 100_000)
    with zipfile.ZipFile(tmp_path / "w.pth", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data/0", bytes(200_000))
    assert (tmp_path / "w.pth").stat().st_size < 1000
    with pytest.raises(InvalidInputError, match=r"unpacks to 200,000 bytes"):
        read_tensors(tmp_path / "w.pth")
