"""The fuzzing targets by name."""

from importlib import import_module
from pathlib import Path

from tools.fuzzing.target import Target

_CLASSES = {
    "model": "models:ModelTarget",
    "app-model": "models:AppModelTarget",
    "sealed": "models:SealedTarget",
    "settings": "documents:SettingsTarget",
    "session": "documents:SessionTarget",
    "preset": "documents:PresetTarget",
    "list": "documents:ListTarget",
    "weights": "weights:WeightsTarget",
    "entry": "models:EntryTarget",
    "recovery": "models:RecoveryTarget",
    "image": "pictures:ImageTarget",
    "video": "pictures:VideoTarget",
}

NAMES = tuple(_CLASSES)


def make_target(name: str, folder: Path) -> Target:
    """Return a target that writes its inputs to a folder; import only its module."""
    module, _, kind = _CLASSES[name].partition(":")
    target: Target = getattr(import_module(f"{__name__}.{module}"), kind)(folder)
    return target
