"""The loaders that are attacked, by name."""

from importlib import import_module

from tests.fuzzing.target import Target

_MODULES = {
    "model": "models:ModelTarget",
    "app-model": "models:AppModelTarget",
    "sealed": "models:SealedTarget",
    "settings": "settings:SettingsTarget",
    "session": "sessions:SessionTarget",
    "preset": "presets:PresetTarget",
    "list": "lists:ListTarget",
    "weights": "weights:WeightsTarget",
    "entry": "entries:EntryTarget",
    "recovery": "recovery:RecoveryTarget",
    "image": "pictures:ImageTarget",
    "video": "pictures:VideoTarget",
}

NAMES = tuple(_MODULES)

_MODULES["fragile"] = "fragile:FragileTarget"  # not a loader: it shows that failures are noticed


def target_class(name: str) -> type[Target]:
    """Return a target's class; only that one's loader is imported."""
    module, _, kind = _MODULES[name].partition(":")
    found: type[Target] = getattr(import_module(f"{__name__}.{module}"), kind)
    return found
