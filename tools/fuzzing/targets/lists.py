"""Lists that come with databases: each line names a file."""

import random
from pathlib import Path

from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import ProtocolError
from tools.fuzzing.mutators import mutated_bytes
from tools.fuzzing.target import LOADED, Broken, Target, told

RAW = {
    "ClientRaw": [f"000{who}/000{who}_00_00_0{when}_0.jpg" for who in (1, 2) for when in (1, 3)],
    "ImposterRaw": [f"000{who}/000{who}_00_00_0{when}_1.jpg" for who in (1, 2) for when in (1, 3)],
}
LISTS = {
    "client_train_raw.txt": ("ClientRaw", "01"),
    "imposter_train_raw.txt": ("ImposterRaw", "01"),
    "client_test_raw.txt": ("ClientRaw", "03"),
    "imposter_test_raw.txt": ("ImposterRaw", "03"),
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
    """The reader of NUAA, with its four lists under attack in turn."""

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
        # Outside: whatever a list says, none of it is ever named by a layout.
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
        # Each list is only good in its own place.
        return LOADED if LOADED in reasons else reasons[0]

    def _read(self) -> str:
        try:
            layout = DATABASES["nuaa"].read(self._root, "", "client-independent")
        except ProtocolError as error:
            return told(str(error).replace(str(self._root), "ROOT"))
        for fold in layout.folds:
            for plan in fold.plans:
                for recording in (*plan.train, *plan.development, *plan.test):
                    path = recording.reader.path
                    if not path.resolve().is_relative_to(self._root.resolve()):
                        raise Broken(f"a list leads to {path}")
        return LOADED
