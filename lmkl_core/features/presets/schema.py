"""From the tables of a preset file to a `Preset`, with everything checked that can be wrong."""

import re
from collections.abc import Mapping
from typing import Any, cast

from lmkl_core.features.presets import checks
from lmkl_core.features.presets.errors import KeyPath, PresetError
from lmkl_core.features.presets.preset import (
    NORMALISATIONS,
    PHOTOMETRIES,
    POOLINGS,
    Branch,
    Crop,
    DescriptorBranch,
    Normalisation,
    Photometry,
    Pooling,
    Preset,
)

MAX_VIEWS = 100
LONGEST_NAME = 60
SMALLEST, LARGEST, STEP = 32, 512, 32
MINIFASNET_SIZE, NASNET_SIZE = 80, 331
"""What these networks were trained on; no multiples of 32, and yet the right sizes for them."""

PRESET_KEYS = ("name", "description", "crops", "branches")
CROP_KEYS = ("of", "centre", "side", "native", "scale", "size")
_PLACES = {
    "face": ("a square on the face", ("centre", "side", "native")),
    "image": ("the whole image", ()),
    "box": ("the detector's box", ("scale",)),
}
DESCRIPTOR_KEYS = ("descriptor", "crops")
NETWORK_KEYS = ("network", "crops", "layers", "pooling", "photometry", "normalisation")
BRANCH_KEYS = tuple(dict.fromkeys(NETWORK_KEYS + DESCRIPTOR_KEYS))
_CROP_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def preset_from_dict(value: Mapping[str, Any]) -> Preset:
    """Build a preset from the tables of a file, of a model or of JSON.

    Parameters
    ----------
    value : mapping
        As `preset_to_dict` makes it, and ``tomllib`` reads it.

    Raises
    ------
    PresetError
        If anything is wrong with it; ``path`` leads to the place.
    """
    root = checks.table(value, ())
    checks.only_keys(root, PRESET_KEYS, (), "a preset")
    name = checks.text(
        checks.required(root, "name", (), "a preset"), ("name",), longest=LONGEST_NAME
    )
    if not name.strip() or not name.isprintable():
        raise PresetError("name must be one line of text that is not empty", ("name",))
    description = checks.text(root.get("description", ""), ("description",), longest=2000)
    crops = _crops(checks.required(root, "crops", (), "a preset"))
    branches = _branches(checks.required(root, "branches", (), "a preset"), crops)
    preset = Preset(name, description, tuple(crops.values()), branches)
    _check_views(preset)
    _check_crops_used(preset)
    return preset


# ------------------------------------------------- crops


def _crops(value: Any) -> dict[str, Crop]:
    tables = checks.table(value, ("crops",))
    if not tables:
        raise PresetError("a preset needs at least one crop, as in [crops.face]", ("crops",))
    return {name: _crop(name, entry) for name, entry in tables.items()}


def _crop(name: str, value: Any) -> Crop:
    path: KeyPath = ("crops", name)
    if not _CROP_NAME.fullmatch(name):
        raise PresetError(
            f"a crop cannot be called {checks.short(name)}: it takes up to 40 letters, digits, "
            "hyphens and underscores, a letter first",
            path,
        )
    table = checks.table(value, path)
    checks.only_keys(table, CROP_KEYS, path, f"the crop {name!r}")
    size = _size(checks.required(table, "size", path, f"the crop {name!r}"), (*path, "size"))
    of = checks.choice(table.get("of", "face"), _PLACES, (*path, "of"), "the origin")
    what, keys = _PLACES[of]
    for key in table:
        if key not in ("of", "size", *keys):
            raise PresetError(
                f'{key} says nothing about {what} (of = "{of}"); remove it', (*path, key)
            )
    if of == "image":
        return Crop(name, size, of="image")
    if of == "box":
        scale = checks.required(table, "scale", path, f"the crop {name!r}")
        scale = checks.number(scale, (*path, "scale"), low=0.1, high=10)
        return Crop(name, size, of="box", scale=scale)
    return Crop(name, size, _centre(table, path), _side(table, path, name))


def _size(value: Any, path: KeyPath) -> int:
    size = checks.whole(value, path)
    if size in (MINIFASNET_SIZE, NASNET_SIZE) or (SMALLEST <= size <= LARGEST and size % STEP == 0):
        return size
    raise PresetError(
        f"size is {checks.short(size)}; it must be a multiple of {STEP} from {SMALLEST} to "
        f"{LARGEST}, or {NASNET_SIZE} for NASNetLarge or {MINIFASNET_SIZE} for MiniFASNet",
        path,
    )


def _centre(table: Mapping[str, Any], path: KeyPath) -> tuple[float, float]:
    path = (*path, "centre")
    items = checks.sequence(table.get("centre", [0.5, 0.5]), path)
    if len(items) != 2:
        raise PresetError(f"centre has two numbers, across and down, not {len(items)}", path)
    across, down = (
        checks.number(item, (*path, position), low=-2, high=3)
        for position, item in enumerate(items)
    )
    return across, down


def _side(table: Mapping[str, Any], path: KeyPath, name: str) -> float | None:
    if checks.switch(table.get("native", False), (*path, "native")):
        if "side" in table:
            raise PresetError(
                "a native crop takes pixels as they are, so that size is all it needs; "
                "remove side or native",
                (*path, "side"),
            )
        return None
    if "side" not in table:
        raise PresetError(f"the crop {name!r} needs side (1.0 is the face) or native = true", path)
    return checks.number(table["side"], (*path, "side"), low=0.05, high=10)


# ------------------------------------------------- branches


def _branches(value: Any, crops: Mapping[str, Crop]) -> tuple[Branch | DescriptorBranch, ...]:
    items = checks.sequence(value, ("branches",))
    if not items:
        raise PresetError("a preset needs at least one branch: [[branches]]", ("branches",))
    return tuple(
        _branch(item, ("branches", position), crops) for position, item in enumerate(items)
    )


def _branch(value: Any, path: KeyPath, crops: Mapping[str, Crop]) -> Branch | DescriptorBranch:
    table = checks.table(value, path)
    checks.only_keys(table, BRANCH_KEYS, path, "a branch")
    if "descriptor" in table:
        return _descriptor_branch(table, path, crops)
    if "network" not in table:
        raise PresetError("a branch needs the key 'network' or the key 'descriptor'", path)
    return _network_branch(table, path, crops)


def _descriptor_branch(
    table: Mapping[str, Any], path: KeyPath, crops: Mapping[str, Crop]
) -> DescriptorBranch:
    # Here, so that presets of networks alone are read without them.
    from lmkl_core.features.descriptors import DESCRIPTORS

    if "network" in table:
        raise PresetError(
            "a branch has a network or a descriptor, not both; remove one of them or make a "
            "branch of each",
            (*path, "descriptor"),
        )
    name = checks.choice(table["descriptor"], DESCRIPTORS, (*path, "descriptor"), "the descriptor")
    for key in table:
        if key not in DESCRIPTOR_KEYS:
            raise PresetError(
                f"{key} is for networks; the descriptor {name} takes crops alone, so remove it",
                (*path, key),
            )
    smallest = DESCRIPTORS[name].smallest
    return DescriptorBranch(name, _branch_crops(table, path, crops, name, (smallest, LARGEST)))


def _network_branch(table: Mapping[str, Any], path: KeyPath, crops: Mapping[str, Crop]) -> Branch:
    # Here, because the registry's package reads presets too.
    from lmkl_core.features.networks.registry import NETWORKS

    network = checks.choice(table["network"], NETWORKS, (*path, "network"), "the network")
    spec = NETWORKS[network]
    limits = (spec.smallest, spec.largest)
    crop_names = _branch_crops(table, path, crops, network, limits)
    layers = checks.choices(
        checks.required(table, "layers", path, "a branch"),
        spec.layer_names,
        (*path, "layers"),
        f"the {network} layer",
    )
    for position, name in enumerate(layers):
        if any(spec.layer(name) == spec.layer(before) for before in layers[:position]):
            raise PresetError(
                f"{name!r} is a layer of {network} that is there already under its other name",
                (*path, "layers", position),
            )

    def option(key: str, allowed: tuple[str, ...], default: str) -> str:
        return checks.choice(table.get(key, default), allowed, (*path, key), f"the {key}")

    return Branch(
        network,
        crop_names,
        layers,
        cast(Pooling, option("pooling", POOLINGS, Branch.pooling)),
        cast(Photometry, option("photometry", PHOTOMETRIES, Branch.photometry)),
        cast(Normalisation, option("normalisation", NORMALISATIONS, Branch.normalisation)),
    )


def _branch_crops(
    table: Mapping[str, Any],
    path: KeyPath,
    crops: Mapping[str, Crop],
    what: str,
    limits: tuple[int, int],
) -> tuple[str, ...]:
    """Return the crops of a branch, none too small or too large for what looks at them."""
    names = checks.choices(
        checks.required(table, "crops", path, "a branch"), crops, (*path, "crops"), "the crop"
    )
    for position, name in enumerate(names):
        size = crops[name].size
        if not limits[0] <= size <= limits[1]:
            needed = limits[0] if size < limits[0] else limits[1]
            raise PresetError(
                f"the crop {name!r} has {size} pixels, but {what} needs {needed}",
                (*path, "crops", position),
            )
    return names


# ------------------------------------------------- the whole


def _check_views(preset: Preset) -> None:
    seen: set[str] = set()
    for position, branch in enumerate(preset.branches):
        for view in branch.view_names:
            if view in seen:
                raise PresetError(
                    f"the view {view} is made twice; give the crop a second name if both are meant",
                    ("branches", position),
                )
            seen.add(view)
        if len(seen) > MAX_VIEWS:
            raise PresetError(
                f"there are more than {MAX_VIEWS} views (each crop with each layer makes one)",
                ("branches", position),
            )


def _check_crops_used(preset: Preset) -> None:
    used = {name for branch in preset.branches for name in branch.crops}
    for crop in preset.crops:
        if crop.name not in used:
            raise PresetError(
                f"no branch uses the crop {crop.name!r}; name it in a branch's crops or remove it",
                ("crops", crop.name),
            )
