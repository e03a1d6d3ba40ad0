""" "Delete all my data" and ``lmkl-pad forget`` leave nothing of the person.

The tests store everything that the program can store, with marks, delete it, and search every
remaining byte for the marks.
"""

import json
import os
import secrets

import numpy as np
import pytest

from app import settings, storage
from app.cli.main import cli
from app.evaluation.cache import Cache
from app.session.guided_test.details import Details
from app.session.guided_test.keeping import KeptSession
from app.session.recovery import Journal
from lmkl_core.features.engines import cache as engines
from lmkl_core.system.files import cache_folder
from tests.app.cli.running import RUNNER, refused, run
from tests.app.guided_tests import session
from tests.app.unsaved_takes import FEATURES, takes

MARK = "ANNA-KARENINA"
GROUP = "Privacy"
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return the folder of everything that the program stores."""
    for name in ("CONFIG", "DATA", "CACHE", "WEIGHTS"):
        monkeypatch.setenv(f"LMKL_PAD_{name}", str(tmp_path / "home" / name.lower()))
    return tmp_path / "home"


class Life:
    """Everything that can be stored about a person, and the marks that must not be found again."""

    def __init__(self, home):
        self.home = home
        self.named = home / "elsewhere"
        self.samples = takes(4, f"{MARK} at the window")
        self.features = np.random.default_rng(7).normal(size=(6, 9)).astype(np.float32)

    def store(self):
        recent = (f"/home/{MARK}/face.safetensors",)
        settings.save(settings.Settings(recent=recent, source=f"/home/{MARK}/clip.mp4"))
        self.journal = Journal()
        self.journal.keep(self.samples, FEATURES)
        guided_test, kept = session(1, 1), KeptSession.begin()
        guided_test.details = Details({"tester": MARK})
        kept.keep(guided_test)
        kept.release()
        for folder in (None, self.named):
            if folder is not None:
                storage.remember_cache(folder)
            for name in (storage.FEATURES_NAME, storage.OUTCOMES_NAME):
                kept = Cache(name, folder)
                kept.store(secrets.token_hex(32), {"subject": MARK}, {"views": self.features})
                storage.write_text(kept.folder / storage.DIGESTS_NAME, f'{{"/home/{MARK}": []}}')
                # Left by a process that was killed.
                scratch = kept.folder / ".views-killed"
                scratch.mkdir()
                (scratch / "views.npy").write_bytes(self.features.tobytes())
                (kept.folder / "ab").mkdir(exist_ok=True)
                (kept.folder / "ab" / ".lmkl-killed.tmp").write_text(MARK)
        (storage.config_folder() / ".lmkl-killed.tmp").write_text(MARK)
        (storage.data_folder() / ".lmkl-killed.tmp").write_text(MARK)
        # Not personal.
        engines.Cache().store("0" * 64, engines.Entry(b"graph", np.zeros((1, 2), np.uint8), []))

    def marks(self):
        """Yield the name and the bytes of features."""
        yield MARK.encode()
        yield self.features[0].tobytes()
        yield self.features[:, :4].tobytes()
        for sample in self.samples:
            for view in sample.views.values():
                yield view.tobytes()

    def found(self):
        """Return the files with a mark in their content or name."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        marks = list(self.marks())
        holding = [p for p in files if any(mark in p.read_bytes() for mark in marks)]
        return holding + [path for path in self.home.rglob(f"*{MARK}*")]


@pytest.fixture
def life(home):
    one = Life(home)
    one.store()
    yield one
    one.journal.close()


def delete_in_the_program():
    assert storage.delete_all().problems == ()


def delete_by_command():
    result = run("forget", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Everything the program had stored is deleted.\n"


@pytest.mark.fault(GROUP, "delete all my data, then search every remaining byte")
@pytest.mark.parametrize("delete", [delete_in_the_program, delete_by_command])
def test_that_nothing_of_the_person_is_found_after_deleting(attempt, life, delete):
    with attempt():
        assert len(life.found()) >= 8
        assert [path.name for path in life.found() if path.is_relative_to(life.named)]
        delete()
        assert life.found() == []
        left = {str(p.relative_to(life.home)) for p in life.home.rglob("*") if p.is_file()}
        assert left == {f"cache/graphs/{'0' * 64}.graph"}


def test_that_other_files_in_a_named_cache_stay(life):
    ours = life.named / "features"
    entry = next(ours.rglob("*.safetensors"))
    kept = [ours / "mine.txt", ours / "cd" / "notes.txt", entry.with_name("notes.txt")]
    kept.append(life.named / "thesis" / "features.txt")
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text("not written by the program")
    storage.delete_all()
    assert life.found() == []
    assert all(path.exists() for path in kept)
    assert not (ours / "ab").exists()


@POSIX
def test_that_a_cache_linked_to_another_disk_is_deleted(life, tmp_path):
    for name in (storage.FEATURES_NAME, storage.OUTCOMES_NAME):
        kept = cache_folder() / name
        kept.rename(life.home / f"disk-{name}")
        kept.symlink_to(life.home / f"disk-{name}")
    storage.delete_all()
    assert life.found() == []
    assert not (cache_folder() / storage.FEATURES_NAME).is_symlink()


def test_that_an_invalid_list_of_caches_is_ignored(life):
    odd = ("", "{}", "[1, null]", '["relative", "a\\u0000b"]', "[" * 9999, '"x"', "\xff")
    for text in odd:
        (storage.personal_folder() / storage.CACHES_NAME).write_bytes(text.encode("latin-1"))
        assert storage.remembered_caches() == [], text
    assert storage.delete_all().problems == ()
    assert not storage.personal_folder().exists()


def test_that_a_cache_is_remembered_once_with_its_absolute_path(home, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        storage.remember_cache(tmp_path / "elsewhere")
        storage.remember_cache(storage.Path("here"))
    assert storage.remembered_caches() == [tmp_path / "elsewhere", tmp_path / "here"]


def test_that_the_command_lists_what_is_stored_and_asks(life, monkeypatch):
    monkeypatch.setattr("app.cli.forget.can_ask", lambda: True)
    for answer, is_gone in (("n", False), ("", False), ("y", True)):
        result = RUNNER.invoke(cli, ["forget"], input=f"{answer}\n")
        assert result.exit_code == 0
        assert str(storage.settings_file()) in result.stderr
        assert str(life.named / "features") in result.stderr
        assert (life.found() == []) is is_gone
        assert ("Nothing was deleted." in result.stderr) is not is_gone


def test_that_nothing_is_deleted_without_a_terminal_or_for_json(life, monkeypatch):
    before = sorted(life.home.rglob("*"))
    for arguments, has_terminal in (((), False), (("--json",), True)):
        monkeypatch.setattr("app.cli.forget.can_ask", lambda answer=has_terminal: answer)
        assert "--yes" in refused(run("forget", *arguments), 2)
    assert sorted(life.home.rglob("*")) == before


def test_that_the_command_lists_deleted_files_as_json(life):
    output = json.loads(run("forget", "--yes", "--json").stdout)
    assert output["problems"] == []
    assert str(storage.settings_file()) in output["removed"]
    assert json.loads(run("forget", "--yes", "--json").stdout) == {"removed": [], "problems": []}
    assert run("forget").stdout == "Nothing is stored.\n"


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root deletes anything")
def test_that_the_command_names_files_that_could_not_be_deleted(life):
    storage.config_folder().chmod(0o500)
    try:
        result = run("forget", "--yes")
    finally:
        storage.config_folder().chmod(0o700)
    assert result.exit_code == 1
    assert "settings.json could not be deleted" in result.stderr


@POSIX
@pytest.mark.fault(GROUP, "files and folders under a permissive umask")
def test_that_only_the_owner_can_read_stored_files_under_any_umask(attempt, home):
    before = os.umask(0)
    try:
        life = Life(home)
        life.store()
        life.journal.close()
    finally:
        os.umask(before)
    # Without what the test made itself.
    made = [p for p in home.rglob("*") if "killed" not in str(p) and p.name != "ab"]
    assert len(made) > 15
    for path in made:
        with attempt():
            assert path.stat().st_mode & 0o077 == 0, path
