"""What there is to choose from on this machine, for the settings dialog."""

from app import storage
from app.qt.views.dialogs.settings_dialog import SettingsChoices
from app.vision.faces.yunet import YUNET_FILE
from lmkl_core.features.presets import load_preset, preset_names
from lmkl_core.features.weights import weights_folder


def choices_of(cameras: tuple[str, ...]) -> SettingsChoices:
    """Return the choices.

    Parameters
    ----------
    cameras : tuple of str
        Names of the cameras that were found.
    """
    detectors = ("mtcnn", "yunet") if (weights_folder() / YUNET_FILE).is_file() else ("mtcnn",)
    return SettingsChoices(
        cameras=cameras,
        presets=tuple((name, load_preset(name).description) for name in preset_names()),
        detectors=detectors,
        stored_in=(str(storage.config_folder()), str(storage.personal_folder())),
    )
