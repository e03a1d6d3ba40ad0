"""Presets: TOML written by hand."""

import random
from pathlib import Path

from lmkl_core.features import presets
from lmkl_core.features.presets import PresetError, to_toml
from lmkl_core.features.presets.file import read_preset
from tools.fuzzing.mutators import mutated_bytes
from tools.fuzzing.target import LOADED, Broken, Target, told

VALUES = (
    b"nan", b"-inf", b"0", b"-1", b"1", b"2", b"99999999999999999999", b"1e400", b"1.5", b"true",
    b'""', b'"x"', b'"../../x"', b'"/etc/passwd"', b"'''\n'''", b"[]", b"[[]]", b"{}", b"{a={b=1}}",
    b"1979-05-27", b"07:32:00", b"0xff", b'"\\u202e"', b'"\\u0000"', b"[" * 300 + b"]" * 300,
    b"a.b.c", b"[0, 1, 2, 3]", b"[0.1, 0.1, 0.9, 2]", b'["x", "x"]',
)  # fmt: skip


class PresetTarget(Target):
    """`lmkl_core.features.presets.read_preset`."""

    name = "preset"
    inputs = 50_000

    def corpus(self) -> list[Path]:
        """Return the shipped presets."""
        return sorted(Path(presets.__file__).parent.glob("*.toml"))

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        lines = data.split(b"\n")
        for _ in range(rng.choice([1, 1, 2, 3])):
            number = rng.randrange(len(lines))
            key, equals, _ = lines[number].partition(b"=")
            kind = rng.randrange(6)
            if kind < 3 and equals:
                lines[number] = key + b"= " + rng.choice(VALUES)
            elif kind == 3:
                lines.insert(rng.randrange(len(lines)), lines[number])
            elif kind == 4:
                lines[number : number + rng.choice([1, 1, 3])] = []
                lines = lines or [b""]
            else:
                lines[number] = mutated_bytes(lines[number], self.seeds, rng)
        return b"\n".join(lines)

    def check(self, data: bytes) -> str:
        try:
            preset = read_preset(data, "bad.toml")
        except PresetError as error:
            return told(str(error))
        if not preset.name.isprintable():
            raise Broken("this is no preset that can be shown")
        if read_preset(to_toml(preset).encode(), "again.toml") != preset:
            raise Broken("this preset is another one when it is written and read again")
        return LOADED
