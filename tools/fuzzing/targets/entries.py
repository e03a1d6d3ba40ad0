"""What evaluations keep in the cache."""

import random
from pathlib import Path

import numpy as np

from app.evaluation.cache import Cache, RecordingFeatures
from lmkl_core.model_file.container import Refused
from tests.core.modelfile_corpus import mutant, unsealed
from tools.fuzzing.mutators import mutated_bytes
from tools.fuzzing.target import LOADED, Broken, Target

KEY = "ab" * 32
COLUMNS = {"eyes": 3, "skin": 2}


class EntryTarget(Target):
    """`Cache.load` and `RecordingFeatures.from_kept`: an entry that is whole, or none."""

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
        kept = self._cache.load(KEY)
        if kept is None:
            return "not a whole file"
        entry = RecordingFeatures.from_kept(kept, COLUMNS)
        if entry is None:
            return "not what these views need"
        rows = {len(view) for view in entry.views.values()}
        if rows != {entry.n_ready} or len(entry.reasons) != len(entry.ready) - entry.n_ready:
            raise Broken("the parts of this entry do not belong together")
        if not all(np.isfinite(view).all() for view in entry.views.values()):
            raise Broken("this entry has views that are not finite")
        return LOADED
