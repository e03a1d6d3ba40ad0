"""Files with tensors: models as library and app load them, cached features, unsaved takes."""

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from app.evaluation.cache import Cache
from app.models.files import difference_of
from app.models.files import load as load_pad_model
from app.models.summary import describe
from app.session.recovery import _UNUSABLE, unpacked
from lmkl_core import InvalidInputError, LocalisedMKL, ModelFileError
from lmkl_core.model_file import Manifest, from_bytes
from lmkl_core.model_file.container import Refused, seal
from lmkl_core.model_file.sealed import HEADER, Cost, _cipher, decrypted
from tests.app.models.small_models import FEATURES
from tests.core.model_file_mutations import (
    mutant,
    unsealed,
    with_header,
    with_manifest,
)
from tools.fuzzing.mutators import encoded_json, mutated_bytes, mutated_json
from tools.fuzzing.target import LOADED, Broken, Target, checked_message

NAME = "bad.lmkl"
PASSPHRASE = "correct horse battery staple"
GROW_EVERY = 16
"""One in this many loaded models also gets new rows, which takes longer."""


class ModelTarget(Target):
    """`lmkl_core.model_file.from_bytes`: a model with finite outputs, or a refusal."""

    name = "model"
    depth = 0.9

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            document, tensors = unsealed(data)
        except Refused:  # a past failure, which is refused now
            return mutated_bytes(data, self.seeds, rng)
        kind = rng.random()
        if kind < 0.8:
            return mutant(document, tensors, rng)[0]
        if kind < 0.9:
            return sealed_or_raw(data, mutated_json(document, rng), tensors, rng)

        def change(header: dict[str, Any]) -> str:
            return encoded_json(mutated_json(header, rng), rng).decode("utf-8", "replace")

        return with_header(data, change)

    def check(self, data: bytes) -> str:
        try:
            model, manifest = from_bytes(data, NAME)
        except ModelFileError as error:
            return checked_message(str(error)).partition(" because ")[2]
        check_outputs(model, manifest)
        if sum(data) % GROW_EVERY == 0:
            check_growth(model, manifest)
        return LOADED


class SealedTarget(Target):
    """Protected models: data that fail authentication never reach the loader of models.

    Most mutants change the header, which is read before anything is authenticated. Others are
    hostile models encrypted with the right passphrase, to be treated like unprotected ones.
    """

    name = "sealed"
    inputs = 2_000

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        if rng.random() < 0.2:
            plain, tensors = unsealed(decrypted(io.BytesIO(data), len(data), PASSPHRASE))
            return encrypted_again(mutant(plain, tensors, rng)[0], data)
        changed = bytearray(data)
        for _ in range(rng.choice([1, 1, 2])):
            changed[rng.randrange(8, HEADER.size)] = rng.randrange(256)
        return bytes(changed)

    def check(self, data: bytes) -> str:
        try:
            model, manifest = from_bytes(data, NAME, passphrase=PASSPHRASE)
        except ModelFileError as error:
            return checked_message(str(error)).partition(" because ")[2]
        check_outputs(model, manifest)
        try:
            from_bytes(data, NAME)
        except ModelFileError:
            return LOADED
        raise Broken("a protected model opens without its passphrase")


def encrypted_again(plain: bytes, data: bytes) -> bytes:
    """Encrypt with the salt and nonce of another file, so that inputs are reproducible."""
    header = data[: HEADER.size]
    *_, log2_n, r, p, salt, nonce = HEADER.unpack(header)
    return header + _cipher(PASSPHRASE, Cost(log2_n, r, p), salt).encrypt(nonce, plain, header)


class AppModelTarget(Target):
    """`app.models.files.load`, and the summary in the window."""

    name = "app-model"
    depth = 0.9
    inputs = 20_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._path = folder / "bad.safetensors"

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            document, tensors = unsealed(data)
        except Refused:
            return mutated_bytes(data, self.seeds, rng)
        if rng.random() < 0.7:
            document["extra"] = mutated_json(document["extra"], rng, ("takes", "preset", "low"))
            return sealed_or_raw(data, document, tensors, rng)
        return mutant(document, tensors, rng)[0]

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        try:
            model = load_pad_model(self._path)
        except ModelFileError as error:
            return checked_message(str(error)).partition(" because ")[2]
        summary = describe(model)
        names = (*summary.takes, *summary.view_names, summary.preset)
        if not all(name.isprintable() for name in names):
            raise Broken("a name is not printable")
        if difference := difference_of(model.features, FEATURES):
            checked_message(difference)
        views = {
            name: np.ones((1, len(array[0])), np.float32)
            for name, array in model.estimator.support_views().items()
        }
        terms, memberships = model.explain(views)
        expect_finite(terms=terms, memberships=memberships, threshold=model.threshold)
        if model.conditions is not None:
            expect_finite(low=model.conditions.low, high=model.conditions.high)
        return LOADED


def sealed_or_raw(
    data: bytes, document: Any, tensors: dict[str, np.ndarray], rng: random.Random
) -> bytes:
    """Seal a manifest; insert one that cannot be sealed into the file as it is."""
    try:
        return seal(document, tensors)
    except (ValueError, TypeError, AttributeError):
        text = encoded_json(document, rng).decode("utf-8", "replace")
        return with_manifest(data, text)


def check_outputs(model: LocalisedMKL, manifest: Manifest) -> None:
    """Score, classify and explain rows of the model and new rows."""
    rng = np.random.default_rng(0)
    own = model.support_views()
    foreign = [(view.name, rng.normal(size=(4, view.columns))) for view in manifest.views]
    known = [(view.name, own[view.name][:8]) for view in manifest.views]
    for views in (foreign, known):
        scores = model.score_samples(views)
        expect_finite(
            scores=scores,
            decisions=model.decision_function(views),
            terms=model.explain(views),
            memberships=model.memberships(views),
        )
        if not set(np.unique(model.predict(views))) <= {-1, 1}:
            raise Broken("a prediction is neither 1 nor -1")
    expect_finite(gap=model.gap_, threshold=model.offset_)
    json.dumps(manifest.document(), allow_nan=False)


def check_growth(model: LocalisedMKL, manifest: Manifest) -> None:
    """Add new rows: the model grows and still works, or refuses with a message."""
    if any(view.kernel == "precomputed" for view in manifest.views):
        return
    rng = np.random.default_rng(1)
    rows = [(view.name, rng.normal(size=(6, view.columns))) for view in manifest.views]
    try:
        model.extend(rows)
    except InvalidInputError as error:
        checked_message(str(error))
        return
    expect_finite(scores=model.score_samples(rows), threshold=model.offset_)


def expect_finite(**values: Any) -> None:
    """Raise `Broken` unless all numbers are finite."""
    for name, value in values.items():
        if not np.all(np.isfinite(value)):
            raise Broken(f"{name} are not finite: {value}")


KEY = "ab" * 32


class EntryTarget(Target):
    """`Cache.load`: an entry as stored, or None."""

    name = "entry"
    inputs = 20_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._cache = Cache("features", folder)
        self._path = self._cache._path(KEY)
        self._path.parent.mkdir(parents=True)

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            return mutant(*unsealed(data), rng)[0]
        except Refused:
            return mutated_bytes(data, self.seeds, rng)

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        return LOADED if self._cache.load(KEY) else "not a whole file"


class RecoveryTarget(Target):
    """`unpacked`: a usable take, or `Refused` with a reason."""

    name = "recovery"
    inputs = 20_000
    depth = 0.9

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            return mutant(*unsealed(data), rng)[0]
        except (ValueError, LookupError, TypeError, Refused):
            return mutated_bytes(data, self.seeds, rng)

    def check(self, data: bytes) -> str:
        try:
            _, samples = unpacked(data)
        except Refused as error:
            return checked_message(error.reason)
        except _UNUSABLE as error:
            raise Broken(f"unforeseen error: {error!r}") from error
        for sample in samples:
            if not all(np.isfinite(view).all() for view in sample.views.values()):
                raise Broken("a recovered frame is not finite")
            if not sample.take.isprintable():
                raise Broken("the name of a recovered take is not printable")
        return LOADED
