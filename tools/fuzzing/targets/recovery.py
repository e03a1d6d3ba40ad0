"""Takes that a run has left when it was killed."""

import random

import numpy as np

from app.session.recovery import _UNUSABLE, unpacked
from lmkl_core.model_file.container import Refused
from tests.core.modelfile_corpus import mutant, unsealed
from tools.fuzzing.mutators import mutated_bytes
from tools.fuzzing.target import LOADED, Broken, Target, told


class RecoveryTarget(Target):
    """`unpacked`: a take that can be used, or a reason, and never another exception."""

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
            return told(error.reason)
        except _UNUSABLE as error:
            raise Broken(f"no check foresaw this: {error!r}") from error
        for sample in samples:
            if not all(np.isfinite(view).all() for view in sample.views.values()):
                raise Broken("a frame that came back is not finite")
            if not sample.take.isprintable():
                raise Broken("a take that came back has a name that cannot be shown")
        return LOADED
