"""Models of the app behind a passphrase: exported, compared, opened, not taken for others."""

import stat
import sys

import pytest

from app.models.files import SUFFIX, load, save
from app.models.fitting import recalibrated
from app.models.summary import describe
from lmkl_core.errors import InvalidInputError, ModelFileError, PassphraseNeeded, WrongPassphrase
from lmkl_core.model_file.sealed import check_passphrase
from tests.app.models.small_models import FEATURES, window_model
from tests.core.protected_model import PASSPHRASE, WRONG, cheap_passphrases
from tests.core.recordings import is_one_sentence

__all__ = ["cheap_passphrases"]

pytestmark = pytest.mark.usefixtures("cheap_passphrases")


@pytest.fixture
def path(tmp_path):
    save(window_model(), tmp_path / "me.lmkl", passphrase=PASSPHRASE)
    return tmp_path / "me.lmkl"


def test_that_a_protected_export_is_read_back_and_compared(tmp_path):
    export = save(window_model(), tmp_path / "me.lmkl", passphrase=PASSPHRASE)
    assert export.statement == "Read back and compared: 24 scores agree to the last bit."
    assert export.model.is_protected
    assert describe(export.model).is_protected
    assert not window_model().is_protected
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "me.lmkl").stat().st_mode) == 0o600


def test_that_a_protected_model_comes_back_with_its_passphrase_alone(path):
    loaded = load(path, FEATURES, passphrase=PASSPHRASE)
    assert loaded.digest == window_model().digest
    assert loaded.threshold == window_model().threshold
    assert loaded.is_protected
    with pytest.raises(PassphraseNeeded):
        load(path)
    with pytest.raises(WrongPassphrase):
        load(path, passphrase=WRONG)


def test_that_a_name_that_promises_protection_is_not_given_to_a_file_without(tmp_path):
    with pytest.raises(ModelFileError, match="give a passphrase") as caught:
        save(window_model(), tmp_path / "me.lmkl")
    assert is_one_sentence(str(caught.value))
    assert not list(tmp_path.iterdir())


@pytest.mark.fault("Hostile files", "protected model replaced by an unprotected one")
@pytest.mark.parametrize("passphrase", [None, PASSPHRASE], ids=["asked for none", "given one"])
def test_that_a_protected_model_cannot_be_exchanged_for_one_without_passphrase(path, passphrase):
    other = path.with_name(f"other{SUFFIX}")
    save(recalibrated(window_model(), 0.3), other)
    path.write_bytes(other.read_bytes())
    with pytest.raises(ModelFileError, match="not protected") as caught:
        load(path, passphrase=passphrase)
    assert is_one_sentence(str(caught.value))


def test_that_contents_tell_a_protected_model_under_any_name(path):
    path = path.rename(path.with_name("me.safetensors"))
    with pytest.raises(PassphraseNeeded):
        load(path)
    assert load(path, passphrase=PASSPHRASE).is_protected


def test_that_a_passphrase_that_is_too_short_leaves_the_old_file(path):
    before = path.read_bytes()
    with pytest.raises(InvalidInputError) as caught:
        save(window_model(), path, passphrase="short")
    assert str(caught.value) == check_passphrase("short")
    assert path.read_bytes() == before
