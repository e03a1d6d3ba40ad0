"""Changed or truncated protected models are refused, and the file stays."""

import random

import pytest

from lmkl_core import ModelFileError, WrongPassphrase, load_model
from lmkl_core.model_file import from_bytes
from lmkl_core.model_file.sealed import CHEAPEST, HEADER, Refused, _cipher, _opened, encrypted
from tests.core.protected_model import PASSPHRASE, WRONG, plain_bytes, sealed_bytes
from tests.core.recordings import is_one_sentence

GROUP = "Hostile files"
CHANGED = pytest.mark.fault(GROUP, "protected model: one bit changed")


def flipped(data, place, bit):
    return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]


def refusal(data):
    with pytest.raises(ModelFileError) as caught:
        from_bytes(data, "me.lmkl", passphrase=PASSPHRASE)
    assert is_one_sentence(str(caught.value))
    return caught.value


@CHANGED
def test_that_a_changed_bit_of_the_header_is_noticed(attempt):
    for place in range(HEADER.size):
        with attempt():
            error = refusal(flipped(sealed_bytes(), place, place % 8))
            if place >= HEADER.size - 28:  # any salt and nonce are valid
                assert type(error) is WrongPassphrase


@CHANGED
def test_that_every_changed_bit_of_the_contents_is_noticed(attempt):
    """The key is derived only once, because that is slow."""
    data = sealed_bytes()
    header, nonce, secret = data[: HEADER.size], data[28:40], bytearray(data[HEADER.size :])
    cipher = _cipher(PASSPHRASE, CHEAPEST, data[12:28])
    assert _opened(cipher, nonce, secret, header)
    for place in range(len(secret)):
        for bit in range(8):
            secret[place] ^= 1 << bit
            with attempt(), pytest.raises(Refused, match="the passphrase is wrong"):
                _opened(cipher, nonce, secret, header)
            secret[place] ^= 1 << bit


@CHANGED
def test_that_the_loader_refuses_changed_contents(attempt):
    rng = random.Random(3)
    size = len(sealed_bytes())
    for place in [HEADER.size, size - 1, *(rng.randrange(HEADER.size, size) for _ in range(10))]:
        with attempt():
            error = refusal(flipped(sealed_bytes(), place, rng.randrange(8)))
            assert type(error) is WrongPassphrase


@pytest.mark.fault(GROUP, "protected model: truncated or extended")
def test_that_a_truncated_or_extended_file_is_refused(attempt):
    data = sealed_bytes()
    cut = [data[:length] for length in (*range(60), 100, len(data) // 2, len(data) - 1)]
    for changed in [*cut, data + b"\0", data + data, data[:40] + data]:
        with attempt():
            refusal(changed)


@pytest.mark.fault(GROUP, "protected model: parts of two files combined")
def test_that_parts_of_two_files_combined_are_refused(attempt):
    one, two = sealed_bytes(), encrypted(plain_bytes(), PASSPHRASE, CHEAPEST)
    for places in (slice(12, 28), slice(28, 40), slice(12, 40), slice(40, None), slice(-16, None)):
        with attempt():
            mixed = bytearray(one)
            mixed[places] = two[places]
            refusal(bytes(mixed))


@pytest.mark.fault(GROUP, "protected model: wrong passphrase", keeps="models")
def test_that_wrong_passphrases_change_nothing(attempt, tmp_path):
    path = tmp_path / "me.lmkl"
    path.write_bytes(sealed_bytes())
    for wrong in (WRONG, PASSPHRASE[:-1], PASSPHRASE.upper(), f"{PASSPHRASE}.", ""):
        with attempt() as trial:
            with pytest.raises(WrongPassphrase):
                load_model(path, passphrase=wrong)
            trial.expect_kept(path.read_bytes() == sealed_bytes())
    assert load_model(path, passphrase=PASSPHRASE) is not None


@pytest.mark.fault(GROUP, "protected model: would need gigabytes or hours to open")
def test_that_a_key_that_takes_hours_to_derive_is_refused(attempt):
    data = sealed_bytes()
    for numbers in [(19, 8, 1), (30, 8, 1), (63, 8, 1), (255, 8, 1), (14, 255, 1), (18, 8, 255)]:
        with attempt():
            error = refusal(data[:9] + bytes(numbers) + data[12:])
            assert "impossible amount of work" in str(error)
