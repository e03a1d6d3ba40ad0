"""Takes that a run has left when it was killed."""

import json
import random

import numpy as np

from app.session.recovery.finding import _UNUSABLE, Found, load
from app.session.recovery.index import FILE_NAME, _digest, read_index
from app.session.recovery.runs import Run
from lmkl_core.model_file.container import Refused, digest
from tests.core.modelfile_corpus import mutant, unsealed
from tools.fuzzing.mutators import mutated_bytes, mutated_json, spelt
from tools.fuzzing.target import LOADED, Broken, Target, told

FEATURES = {"format": "1", "preset": {"name": "tiny"}}
VIEWS = {"eyes": 3, "skin": 2}


class RecoveryTarget(Target):
    """`read_index` and `load`: takes that can be used, or nothing, and never an exception.

    An input is a folder in one piece: the length of its index, the index, and its one file.
    """

    name = "recovery"
    inputs = 20_000
    depth = 0.9

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        index, chunk = parted(data)
        try:
            document = json.loads(index)
            if rng.random() < 0.5:
                changed, _ = mutant(*unsealed(chunk), rng)
                document["chunks"][0][1] = digest_of(changed)
                return joined(sealed(document), changed)
        except (ValueError, LookupError, TypeError, Refused):
            return mutated_bytes(data, self.seeds, rng)
        changed_document = mutated_json(document, rng)
        try:
            return joined(sealed(changed_document), chunk)
        except (ValueError, TypeError, AttributeError):
            return joined(spelt(changed_document, rng), chunk)

    def check(self, data: bytes) -> str:
        index, chunk = parted(data)
        (self.folder / FILE_NAME).write_bytes(index)
        (self.folder / "0.safetensors").write_bytes(chunk)
        run = Run(self.folder, None)  # type: ignore[arg-type]  # locks are for several programs
        try:
            found = Found(run, read_index(self.folder))
        except Refused as error:
            return told(error.reason)
        except _UNUSABLE as error:
            raise Broken(f"no check foresaw this: {error!r}") from error
        recovered = load(found)
        for sample in recovered.samples:
            if not all(np.isfinite(view).all() for view in sample.views.values()):
                raise Broken("a frame that came back is not finite")
            if not sample.take.isprintable():
                raise Broken("a take that came back has a name that cannot be shown")
        return LOADED if recovered.samples else "all of its frames are damaged"


def joined(index: bytes, chunk: bytes) -> bytes:
    """Return an index and a file as one input."""
    return len(index).to_bytes(4, "little") + index + chunk


def parted(data: bytes) -> tuple[bytes, bytes]:
    """Return the index and the file in an input."""
    end = 4 + int.from_bytes(data[:4], "little")
    return data[4:end], data[end:]


def sealed(document: dict) -> bytes:
    """Return an index whose digest is right."""
    document = {key: value for key, value in document.items() if key != "digest"}
    return json.dumps({**document, "digest": _digest(document)}, allow_nan=False).encode()


def digest_of(data: bytes) -> str:
    """Return the digest that a file claims to have."""
    document, tensors = unsealed(data)
    return digest({key: value for key, value in document.items() if key != "digest"}, tensors)
