"""The file of the settings: whatever it holds, there are settings that can be used."""

import dataclasses
import json
import os
import random
from pathlib import Path

from app import settings, storage
from tools.fuzzing.mutators import mutated_bytes, mutated_json, spelt
from tools.fuzzing.target import LOADED, Broken, Target, told


class SettingsTarget(Target):
    """`app.settings.load`: never raises, and every setting keeps its rule."""

    name = "settings"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        os.environ[storage.CONFIG_VARIABLE] = str(folder)
        self._path = folder / storage.SETTINGS_NAME

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):  # one that once failed
            return mutated_bytes(data, self.seeds, rng)
        keys = tuple(field.name for field in dataclasses.fields(settings.Settings))
        return spelt(mutated_json(values, rng, keys), rng)

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        found, problems = settings.load()
        if broken := settings.check(found):
            raise Broken(f"these settings break their own rules: {broken}")
        # What was loaded can be stored, and is the same when it is loaded again.
        text = json.dumps(_stored(found), allow_nan=False)
        text.encode("utf-8")
        self._path.write_text(text, encoding="utf-8")
        if settings.load() != (found, ()):
            raise Broken("these settings are others when they are stored and loaded")
        for problem in problems:
            told(problem)
        return " / ".join(problems[:1]) or LOADED


def _stored(values: settings.Settings) -> dict[str, object]:
    return {"version": settings.VERSION, **dataclasses.asdict(values)}
