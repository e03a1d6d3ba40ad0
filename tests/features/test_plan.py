"""From presets to graphs."""

import pytest

from lmkl_core.features.extractor import plan
from lmkl_core.features.presets import Branch, Crop, Preset, PresetError
from tests.features.small_preset import BOTH, SMALL


def test_that_branches_with_one_network_light_and_size_share_a_graph():
    large, small = plan(SMALL)
    assert (large.source.size, small.source.size) == (64, 32)
    assert large.crops == ("face", "wide")
    assert [output.pooling for output in large.source.outputs] == ["mean+std", "mean+std", "mean"]
    assert large.source.columns == (48, 64, 24)
    assert small.crops == ("nose",)
    assert [group.label for group in plan(BOTH)[2:]] == ["face/lbp", "face/iqm"]


def test_that_another_photometry_gets_a_graph_of_its_own():
    preset = Preset(
        "two lights",
        "",
        (Crop("face", 64), Crop("wide", 64)),
        (
            Branch("resnet50", ("face",), ("stem",)),
            Branch("resnet50", ("wide",), ("stem",), photometry="grey-world"),
        ),
    )
    assert [group.source.photometry for group in plan(preset)] == ["none", "grey-world"]


def test_that_a_preset_made_in_code_is_checked_like_a_file():
    one, branch = Crop("a", 64), Branch("vgg16", ("a",), ("last",))
    with pytest.raises(PresetError, match="two crops"):
        Preset("bad", "", (one, Crop("a", 96)), (branch,))
    with pytest.raises(PresetError, match=r"view a/vgg16\.last twice"):
        Preset("bad", "", (one,), (branch, Branch("vgg16", ("a",), ("last",), "mean")))
    with pytest.raises(PresetError, match="no pooling 'max'"):
        Preset("bad", "", (one,), (Branch("vgg16", ("a",), ("last",), "max"),))
