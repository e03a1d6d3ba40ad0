"""Text files: settings, saved test sessions, presets, and lists of databases."""

import dataclasses
import json
import os
import random
from pathlib import Path

from app import settings, storage
from app.cli.models import _as_preset_file
from app.cli.saved_session import read_session
from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import ProtocolError
from app.reports import build
from app.reports.csv_files import facts_csv, figures_csv, presentations_csv
from app.reports.html import guided_test_page as render
from app.reports.json_files import guided_test_document as as_document
from app.session.guided_test.presentation import GuidedTestError
from lmkl_core.features import presets
from lmkl_core.features.extractor import preset_fingerprint
from lmkl_core.features.presets import PresetError, preset_from_dict
from lmkl_core.features.presets.file import read_preset
from tests.app.pages import outline
from tests.app.reports.example_context import context
from tools.fuzzing.mutators import encoded_json, mutated_bytes, mutated_json
from tools.fuzzing.target import LOADED, Broken, Target, checked_message


class SettingsTarget(Target):
    """`app.settings.load`: never raises, and every setting is valid."""

    name = "settings"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        os.environ[storage.CONFIG_VARIABLE] = str(folder)
        self._path = folder / storage.SETTINGS_NAME

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):  # a past failure
            return mutated_bytes(data, self.seeds, rng)
        keys = tuple(field.name for field in dataclasses.fields(settings.Settings))
        return encoded_json(mutated_json(values, rng, keys), rng)

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        found, problems = settings.load()
        if broken := settings.check(found):
            raise Broken(f"loaded settings are invalid: {broken}")
        # Loaded settings survive storing and loading.
        document = {"version": settings.VERSION, **dataclasses.asdict(found)}
        text = json.dumps(document, allow_nan=False)
        text.encode("utf-8")
        self._path.write_text(text, encoding="utf-8")
        if settings.load() != (found, ()):
            raise Broken("settings change when they are stored and loaded")
        for problem in problems:
            checked_message(problem)
        return " / ".join(problems[:1]) or LOADED


REPORT_EVERY = 32
"""A report is written for one in this many loaded sessions: it takes a hundred times as long."""


class SessionTarget(Target):
    """`app.cli.saved_session.read_session`, and reports of sessions."""

    name = "session"
    inputs = 50_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._path = folder / "bad.json"

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            return mutated_bytes(data, self.seeds, rng)
        inner = values.get("session", values) if isinstance(values, dict) else values
        if isinstance(inner, dict) and rng.random() < 0.7:
            changed = mutated_json(inner, rng)
            values = changed if inner is values else values | {"session": changed}
        else:
            values = mutated_json(values, rng, ("session", "model"))
        return encoded_json(values, rng)

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        try:
            found = read_session(self._path)
        except GuidedTestError as error:
            return checked_message(str(error).replace(str(self._path), "FILE"))
        json.dumps(found.guided_test.as_dict(), allow_nan=False).encode()
        assert found.guided_test.tally is not None
        if sum(data) % REPORT_EVERY == 0:
            report = build(found.guided_test, context(source=found.source, model=found.model))
            outline(render(report))
            json.dumps(as_document(report), allow_nan=False, ensure_ascii=False)
            figures_csv(report), presentations_csv(report), facts_csv(report)
        return LOADED


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
            return checked_message(str(error))
        if not preset.name.isprintable():
            raise Broken("the preset's name is not printable")
        stored = json.loads(json.dumps(preset_fingerprint(preset)))
        again = preset_from_dict(_as_preset_file(stored))
        if again != dataclasses.replace(preset, description=""):
            raise Broken("the preset changes when a model stores it")
        return LOADED


RAW = {
    "ClientRaw": [f"000{who}/000{who}_00_00_0{when}_0.jpg" for who in (1, 2) for when in (1, 3)],
    "ImposterRaw": [f"000{who}/000{who}_00_00_0{when}_1.jpg" for who in (1, 2) for when in (1, 3)],
}
LINES = (
    "../../../etc/passwd", "/etc/passwd", "\\\\host\\share\\x.jpg", "C:\\x.jpg", "c:x.jpg", "//x/y",
    "0001/../0001/0001_00_00_01_0.jpg", "0001\\..\\..\\secret\\0001_00_00_01_0.jpg", ".", "..",
    "~/.ssh/id_rsa", "0001/0001_00_00_01_0.jpg\0.txt", "0001/0001_00_00_01_0.jpg/", "secret",
    "file:///etc/passwd", "http://x/y.jpg", "\u202e0001", "x" * 400, "x" * 600, "\ud800", "",
    "linked/0001_00_00_01_0.jpg", "/dev/zero", "NUL", "CON.jpg", "0001/.", "ClientRaw/ClientRaw",
    "٠٠٠١/٠٠٠١_٠٠_٠٠_٠١_٠.jpg",
)  # fmt: skip


class ListTarget(Target):
    """The reader of NUAA, with each of its four lists attacked in turn."""

    name = "list"
    inputs = 20_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._root = folder / "root"
        for part, names in RAW.items():
            for name in names:
                path = self._root / part / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
        # Outside the database: no list may lead here.
        secret = folder / "secret"
        secret.mkdir()
        (secret / "0001_00_00_01_0.jpg").touch()
        self._good = {path.name: path.read_bytes() for path in self.corpus()}

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        lines = data.decode("utf-8", "replace").splitlines()
        lines.insert(rng.randrange(len(lines) + 1), rng.choice([*LINES, *lines] or LINES))
        if rng.random() < 0.3:
            lines.pop(rng.randrange(len(lines)))
        text = rng.choice(["\n", "\r\n", "\r", "\x0b", "\u2028"]).join(lines)
        changed = text.encode("utf-8", "surrogatepass")
        return changed if rng.random() < 0.8 else mutated_bytes(changed, self.seeds, rng)

    def check(self, data: bytes) -> str:
        reasons = []
        for name in self._good:
            for other, content in self._good.items():
                (self._root / other).write_bytes(data if other == name else content)
            reasons.append(self._read())
        # Each list is valid only in its own place.
        return LOADED if LOADED in reasons else reasons[0]

    def _read(self) -> str:
        try:
            layout = DATABASES["nuaa"].read(self._root, "", "client-independent")
        except ProtocolError as error:
            return checked_message(str(error).replace(str(self._root), "ROOT"))
        for fold in layout.folds:
            for plan in fold.plans:
                for recording in (*plan.train, *plan.development, *plan.test):
                    path = recording.reader.path
                    if not path.resolve().is_relative_to(self._root.resolve()):
                        raise Broken(f"a list leads outside, to {path}")
        return LOADED
