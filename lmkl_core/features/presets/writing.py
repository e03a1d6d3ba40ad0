"""From a `Preset` back to tables and to TOML."""

import json
from typing import Any

from lmkl_core.features.presets.preset import Branch, Crop, DescriptorBranch, Preset


def preset_to_dict(preset: Preset) -> dict[str, Any]:
    """Return a preset as tables, lists, texts and numbers, every default written out.

    `preset_from_dict` turns it back into an equal preset, also by way of JSON or TOML that keeps
    the order of keys.

    Parameters
    ----------
    preset : Preset
        What to write.
    """
    return {
        "name": preset.name,
        "description": preset.description,
        "crops": {crop.name: _crop(crop) for crop in preset.crops},
        "branches": [_branch(branch) for branch in preset.branches],
    }


def to_toml(preset: Preset) -> str:
    """Return a preset as the text of a file that `load_preset` reads.

    Parameters
    ----------
    preset : Preset
        What to write.
    """
    tables = preset_to_dict(preset)
    blocks = [_lines({"name": tables["name"], "description": tables["description"]})]
    blocks += [f"[crops.{name}]\n{_lines(crop)}" for name, crop in tables["crops"].items()]
    blocks += [f"[[branches]]\n{_lines(branch)}" for branch in tables["branches"]]
    return "\n".join(blocks)


def _crop(crop: Crop) -> dict[str, Any]:
    if crop.of == "image":
        return {"of": "image", "size": crop.size}
    if crop.of == "box":
        return {"of": "box", "scale": crop.scale, "size": crop.size}
    place: dict[str, Any] = {"centre": list(crop.centre)}
    if crop.side is None:
        return place | {"native": True, "size": crop.size}
    return place | {"side": crop.side, "size": crop.size}


def _branch(branch: Branch | DescriptorBranch) -> dict[str, Any]:
    if isinstance(branch, DescriptorBranch):
        return {"descriptor": branch.descriptor, "crops": list(branch.crops)}
    return {
        "network": branch.network,
        "crops": list(branch.crops),
        "layers": list(branch.layers),
        "pooling": branch.pooling,
        "photometry": branch.photometry,
        "normalisation": branch.normalisation,
    }


def _lines(table: dict[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    # JSON's texts, whole and finite numbers, truth values and lists are TOML's too, but for one
    # character that TOML wants escaped.
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")
