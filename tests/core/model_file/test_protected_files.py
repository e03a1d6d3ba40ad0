"""Protected models: only the passphrase opens them, and nothing leaks without it."""

import builtins
import hashlib
import io
import os
import stat
import struct
import tracemalloc

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf import scrypt

from lmkl_core import (
    ModelFileError,
    PassphraseNeeded,
    WrongPassphrase,
    load_model,
    save_model,
)
from lmkl_core.model_file import check_passphrase, from_bytes, load_with_manifest, sealed, to_bytes
from lmkl_core.model_file.files import UNFORESEEN
from lmkl_core.model_file.sealed import CHEAPEST, COST, DEAREST, Cost, decrypted, encrypted
from tests.core.protected_model import (
    PASSPHRASE,
    WRONG,
    cheap_passphrases,
    plain_bytes,
    sealed_bytes,
    small_model,
)
from tests.core.recordings import is_one_sentence, refusal

__all__ = ["cheap_passphrases"]


def refused(data, passphrase=PASSPHRASE, kind=ModelFileError):
    with pytest.raises(ModelFileError) as caught:
        from_bytes(data, "me.lmkl", passphrase=passphrase)
    assert type(caught.value) is kind, caught.value
    sentence = str(caught.value)
    assert sentence.startswith("Model file 'me.lmkl' cannot be used because "), sentence
    assert is_one_sentence(sentence), sentence
    assert UNFORESEEN not in sentence
    return sentence


def with_cost(log2_n, r=8, p=1):
    return b"".join((sealed_bytes()[:9], bytes([log2_n, r, p]), sealed_bytes()[12:]))


def test_that_a_protected_model_is_saved_and_loaded_unchanged(tmp_path):
    model, path = small_model(), tmp_path / "me.lmkl"
    save_model(model, path, extra={"light": "lamp"}, passphrase=PASSPHRASE)
    loaded, manifest = load_with_manifest(path, passphrase=PASSPHRASE)
    views = model.support_views()
    assert np.array_equal(loaded.score_samples(views), model.score_samples(views))
    assert loaded.offset_ == model.offset_
    assert manifest.extra == {"light": "lamp"}
    assert path.read_bytes()[:12] == b"LMKLSEAL" + bytes([1, 17, 8, 1])  # the documented cost
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


def test_that_the_documented_layout_suffices_to_read_a_file():
    """Written from the docstring, with the scrypt of another library."""
    data = sealed_bytes()
    salt, nonce = data[12:28], data[28:40]
    key = hashlib.scrypt(
        PASSPHRASE.encode(), salt=salt, n=2 ** data[9], r=data[10], p=data[11], dklen=32
    )
    assert AESGCM(key).decrypt(nonce, data[40:], data[:40]) == plain_bytes()


def test_that_other_unicode_forms_of_the_passphrase_open_the_file():
    for written, typed in [
        ("stra\u00dfe und z\u00fcge 1234", "stra\u00dfe und zu\u0308ge 1234"),
        ("\ufb01ne words of mine", "fine words of mine"),
        ("four words with spaces", "  four words with spaces\u00a0 "),
        ("copied from a line", "\tcopied from a line\r\n"),
        ("copied from a line\n", "copied from a line"),
        ("\uff50ass \uff11\uff12\uff13 and others", "pass 123 and others"),
    ]:
        data = encrypted(plain_bytes(), written, CHEAPEST)
        assert from_bytes(data, passphrase=typed)[0].offset_ == small_model().offset_


@pytest.mark.fault("Privacy", "protected model: file searched for its contents")
def test_that_the_file_contains_nothing_of_the_model():
    plain, data = plain_bytes(), sealed_bytes()
    words = [b"Rumpelstiltskin", b"lmkl-pad model", b"eyes", b"skin", b"F64", PASSPHRASE.encode()]
    for view in small_model().support_views().values():
        assert view.tobytes()[:16] in plain
        words += [view.tobytes()[start : start + 8] for start in range(0, view.nbytes, 8)]
    assert not [word for word in words if word in data]
    assert all(word in plain for word in words[:5])


@pytest.mark.fault("Privacy", "protected model: disk searched for its contents during writing")
def test_that_the_model_is_never_on_disk_in_plain_text(tmp_path, monkeypatch, cheap_passphrases):
    written = []
    kept = os.fsync

    def look(handle):
        if stat.S_ISREG(os.fstat(handle).st_mode):
            written.extend(path.read_bytes() for path in tmp_path.iterdir())
        kept(handle)

    monkeypatch.setattr(os, "fsync", look)
    save_model(
        small_model(), tmp_path / "m", extra={"secret": "Rumpelstiltskin"}, passphrase=PASSPHRASE
    )
    assert written
    for data in written:
        assert data[:8] in (b"LMKLSEAL", b"")
        assert b"Rumpelstiltskin" not in data


def test_that_no_message_or_traceback_contains_the_passphrase():
    secret = "Sesam oeffne dich, bitte"
    for data in (sealed_bytes(), plain_bytes(), b""):
        with pytest.raises(ModelFileError) as caught:
            from_bytes(data, "me.lmkl", passphrase=secret)
        error = caught.value
        while error is not None:
            assert "Sesam" not in f"{error}{error.args}{vars(error)}"
            error = error.__cause__ or error.__context__


def test_that_missing_and_superfluous_passphrases_are_distinguished():
    refused(sealed_bytes(), None, PassphraseNeeded)
    assert "not protected" in refused(plain_bytes())
    newer = sealed_bytes()[:8] + b"\x02" + sealed_bytes()[9:]
    assert "version 2" in refused(newer)
    for passphrase in [WRONG, "", "x", "\ud800" * 20, "y" * 5000, b"bytes", f"{PASSPHRASE}\n."]:
        refused(sealed_bytes(), passphrase, WrongPassphrase)


def test_that_a_weak_passphrase_is_refused(tmp_path):
    for weak in [
        "",
        "   ",
        "short",
        "14 characters.",
        " 14 characters. ",
        "\ufdfa" * 2,
        b"bytes of good length",
        "\ud800" * 20,
        "a\x00" * 10,
        "two lines of\nmany words",
        "\n14 characters.\n\n",
    ]:
        message = refusal(save_model, small_model(), tmp_path / "m", passphrase=weak)
        assert message == check_passphrase(weak)
        assert not list(tmp_path.iterdir())
    assert "1024" in check_passphrase("x" * 1025)
    for good in ["fifteen letters", "x" * 1024, "窓" * 15, PASSPHRASE]:
        assert check_passphrase(good) == ""


@pytest.fixture
def scrypt_memory(monkeypatch):
    """Return the list of bytes that every call of scrypt needs."""
    sizes, real = [], scrypt.Scrypt

    def watched(*, n, r, p, **rest):
        sizes.append(128 * r * (n + p))
        return real(n=n, r=r, p=p, **rest)

    monkeypatch.setattr(scrypt, "Scrypt", watched)
    return sizes


def memory(cost):
    return 128 * cost.r * ((1 << cost.log2_n) + cost.p)


def test_that_no_header_makes_scrypt_exceed_its_bound(scrypt_memory):
    dearest = memory(DEAREST)
    assert dearest <= (256 << 20) + 4096
    for log2_n in range(256):
        for r in (0, 1, 7, 8, 9, 64, 255):
            for p in (0, 1, 4, 5, 255):
                cost = Cost(log2_n, r, p)
                try:
                    cost.check()
                except sealed.Refused:
                    continue
                assert memory(cost) <= dearest
    for dear in [(0,), (13,), (19,), (255,), (14, 0), (14, 9), (14, 8, 0), (14, 8, 5)]:
        for passphrase in (PASSPHRASE, None):
            assert "amount of work" in refused(with_cost(*dear), passphrase)
    assert scrypt_memory == []
    from_bytes(sealed_bytes(), passphrase=PASSPHRASE)
    assert scrypt_memory == [memory(CHEAPEST)]
    assert memory(COST) == (128 << 20) + 1024


def test_that_a_small_file_that_claims_to_be_large_allocates_nothing(tmp_path):
    data = sealed_bytes()[:200]
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            from_bytes(data, passphrase=PASSPHRASE)
        for size in (2**31 + 40, 2**40):
            with pytest.raises(sealed.Refused, match="too large"):
                decrypted(io.BytesIO(data), size, PASSPHRASE)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
    path, size = tmp_path / "me.lmkl", len(sealed_bytes())
    path.write_bytes(sealed_bytes())
    with pytest.raises(ModelFileError, match="exceed the limit"):
        load_model(path, max_bytes=size - 1, passphrase=PASSPHRASE)
    assert load_model(path, max_bytes=size, passphrase=PASSPHRASE) is not None


def test_that_encrypted_contents_are_as_untrusted_as_any_file():
    for inner in (b"", b"hello", struct.pack("<Q", 2**60), sealed_bytes(), plain_bytes()[:-1]):
        refused(encrypted(inner, PASSPHRASE, CHEAPEST))
    changed = plain_bytes()[:-1] + bytes([plain_bytes()[-1] ^ 1])
    assert "digest" in refused(encrypted(changed, PASSPHRASE, CHEAPEST))


def test_that_a_missing_package_is_reported_with_the_command_to_install_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == "cryptography":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install cryptography" in refused(sealed_bytes())
    with pytest.raises(ModelFileError, match="pip install cryptography") as caught:
        to_bytes(small_model(), passphrase=PASSPHRASE)
    assert is_one_sentence(str(caught.value))
