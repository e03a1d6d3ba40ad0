"""Model files with a passphrase: saved, compared, opened, and not mistaken for others."""

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


def test_that_a_protected_export_is_compared_and_readable_by_its_owner_only(tmp_path):
    export = save(window_model(), tmp_path / "me.lmkl", passphrase=PASSPHRASE)
    assert (export.n_compared, export.largest_difference) == (24, 0.0)
    assert export.model.is_protected
    assert describe(export.model).is_protected
    assert not window_model().is_protected
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "me.lmkl").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["me.lmkl", "me.safetensors"])
def test_that_a_protected_model_opens_with_its_passphrase_only_under_any_name(path, name):
    path = path.rename(path.with_name(name))
    loaded = load(path, FEATURES, passphrase=PASSPHRASE)
    assert loaded.digest == window_model().digest
    assert loaded.threshold == window_model().threshold
    assert loaded.is_protected
    with pytest.raises(PassphraseNeeded):
        load(path)
    with pytest.raises(WrongPassphrase):
        load(path, passphrase=WRONG)


def test_that_an_unprotected_file_cannot_get_the_suffix_of_protected_ones(tmp_path):
    with pytest.raises(ModelFileError, match="passphrase") as caught:
        save(window_model(), tmp_path / "me.lmkl")
    assert is_one_sentence(str(caught.value))
    assert not list(tmp_path.iterdir())


@pytest.mark.fault("Hostile files", "protected model replaced by an unprotected one")
@pytest.mark.parametrize("passphrase", [None, PASSPHRASE], ids=["no passphrase", "passphrase"])
def test_that_a_protected_model_cannot_be_replaced_by_an_unprotected_one(path, passphrase):
    other = path.with_name(f"other{SUFFIX}")
    save(recalibrated(window_model(), 0.3), other)
    path.write_bytes(other.read_bytes())
    with pytest.raises(ModelFileError, match="not protected") as caught:
        load(path, passphrase=passphrase)
    assert is_one_sentence(str(caught.value))


def test_that_a_passphrase_that_is_too_short_leaves_the_old_file(path):
    before = path.read_bytes()
    with pytest.raises(InvalidInputError) as caught:
        save(window_model(), path, passphrase="short")
    assert str(caught.value) == check_passphrase("short")
    assert path.read_bytes() == before
