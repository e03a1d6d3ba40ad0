"""A small protected model, with the cheapest accepted key derivation."""

import functools

import numpy as np
import pytest

from lmkl_core import LocalisedMKL
from lmkl_core.model_file import sealed, to_bytes
from lmkl_core.model_file.sealed import CHEAPEST, encrypted

PASSPHRASE = "correct horse battery staple"
WRONG = "correct horse battery stable"


@pytest.fixture
def cheap_passphrases(monkeypatch):
    """Write protected files with the cheapest key derivation, in a tenth of the time."""
    monkeypatch.setattr(sealed, "COST", CHEAPEST)


@functools.cache
def small_model():
    """Return a model of a few rows, which tests share and must not change."""
    rng = np.random.default_rng(4)
    views = {"eyes": rng.normal(size=(12, 2)), "skin": rng.normal(size=(12, 3))}
    return LocalisedMKL(n_clusters=2, delta=0.1, random_state=0).fit(
        views, groups=np.repeat([0, 1], 6)
    )


@functools.cache
def plain_bytes():
    """Return the contents of its unprotected file."""
    return to_bytes(small_model(), extra={"secret": "Rumpelstiltskin"})


@functools.cache
def sealed_bytes():
    """Return the contents of its protected file."""
    return encrypted(plain_bytes(), PASSPHRASE, CHEAPEST)
