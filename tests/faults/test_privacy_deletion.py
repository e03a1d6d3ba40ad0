""" "Delete all my data" and ``lmkl-pad forget``: afterwards nothing of the person can be found.

Everything that the program can store is stored, each with a mark of its own; then every byte that
is left is searched for the marks.
"""

import json
import os
import secrets

import numpy as np
import pytest

from app import settings, storage
from app.cli.main import cli
from app.evaluation.cache import Cache
from app.session.recovery import Journal
from lmkl_core.features.engines import cache as engines
from lmkl_core.system.files import cache_folder
from tests.app.cli.running import RUNNER, refused, run
from tests.app.unsaved_takes import FEATURES, takes

MARK = "ANNA-KARENINA"
GROUP = "Privacy"
POSIX = pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a folder in which everything that the program keeps lies."""
    for name in ("CONFIG", "DATA", "CACHE", "WEIGHTS"):
        monkeypatch.setenv(f"LMKL_PAD_{name}", str(tmp_path / "home" / name.lower()))
    return tmp_path / "home"


class Life:
    """Everything that can be stored of a person, and what of it must not be found again."""

    def __init__(self, home):
        self.home = home
        self.named = home / "elsewhere"
        self.samples = takes(4, f"{MARK} at the window")
        self.features = np.random.default_rng(7).normal(size=(6, 9)).astype(np.float32)

    def lead(self):
        recent = (f"/home/{MARK}/face.safetensors",)
        settings.save(settings.Settings(recent=recent, source=f"/home/{MARK}/clip.mp4"))
        self.journal = Journal()
        self.journal.keep(self.samples, FEATURES)
        for folder in (None, self.named):
            if folder is not None:
                storage.remember_cache(folder)
            for name in (storage.FEATURES_NAME, storage.OUTCOMES_NAME):
                kept = Cache(name, folder)
                kept.store(secrets.token_hex(32), {"subject": MARK}, {"views": self.features})
                storage.write_text(kept.folder / storage.DIGESTS_NAME, f'{{"/home/{MARK}": []}}')
                # What a process that was killed has left.
                scratch = kept.folder / ".views-killed"
                scratch.mkdir()
                (scratch / "views.npy").write_bytes(self.features.tobytes())
                (kept.folder / "ab").mkdir(exist_ok=True)
                (kept.folder / "ab" / ".lmkl-killed.tmp").write_text(MARK)
        (storage.config_folder() / ".lmkl-killed.tmp").write_text(MARK)
        (storage.data_folder() / ".lmkl-killed.tmp").write_text(MARK)
        # What says nothing of a person.
        engines.Cache().store("0" * 64, engines.Entry(b"graph", np.zeros((1, 2), np.uint8), []))

    def marks(self):
        """Yield what must not be found: words, and features as bytes."""
        yield MARK.encode()
        yield self.features[0].tobytes()
        yield self.features[:, :4].tobytes()
        for sample in self.samples:
            for view in sample.views.values():
                yield view.tobytes()

    def found(self):
        """Return the files that hold a mark, or have one in their name."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        marks = list(self.marks())
        holding = [p for p in files if any(mark in p.read_bytes() for mark in marks)]
        return holding + [path for path in self.home.rglob(f"*{MARK}*")]


@pytest.fixture
def life(home):
    one = Life(home)
    one.lead()
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
        assert len(life.found()) >= 8  # all of it is there, and would be found
        assert [path.name for path in life.found() if path.is_relative_to(life.named)]
        delete()
        assert life.found() == []
        left = {str(p.relative_to(life.home)) for p in life.home.rglob("*") if p.is_file()}
        assert left == {f"cache/graphs/{'0' * 64}.graph"}


def test_that_what_else_lies_in_a_named_cache_stays(life):
    ours = life.named / "features"
    entry = next(ours.rglob("*.safetensors"))
    kept = [ours / "mine.txt", ours / "cd" / "notes.txt", entry.with_name("notes.txt")]
    kept.append(life.named / "thesis" / "features.txt")
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text("not of the program's making")
    storage.delete_all()
    assert life.found() == []
    assert all(path.exists() for path in kept)
    assert not (ours / "ab").exists()


@POSIX
def test_that_what_a_link_leads_to_on_another_disk_is_deleted_too(life, tmp_path):
    for name in (storage.FEATURES_NAME, storage.OUTCOMES_NAME):
        kept = cache_folder() / name
        kept.rename(life.home / f"disk-{name}")
        kept.symlink_to(life.home / f"disk-{name}")
    storage.delete_all()
    assert life.found() == []
    assert not (cache_folder() / storage.FEATURES_NAME).is_symlink()


def test_that_a_list_of_caches_that_makes_no_sense_names_none(life):
    odd = ("", "{}", "[1, null]", '["relative", "a\\u0000b"]', "[" * 9999, '"x"', "\xff")
    for text in odd:
        (storage.personal_folder() / storage.CACHES_NAME).write_bytes(text.encode("latin-1"))
        assert storage.remembered_caches() == [], text
    assert storage.delete_all().problems == ()
    assert not storage.personal_folder().exists()


def test_that_a_cache_is_noted_once_and_as_a_whole_path(home, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        storage.remember_cache(tmp_path / "elsewhere")
        storage.remember_cache(storage.Path("here"))
    assert storage.remembered_caches() == [tmp_path / "elsewhere", tmp_path / "here"]


def test_that_the_command_shows_what_there_is_and_asks(life, monkeypatch):
    monkeypatch.setattr("app.cli.forget.can_ask", lambda: True)
    for answer, is_gone in (("n", False), ("", False), ("y", True)):
        result = RUNNER.invoke(cli, ["forget"], input=f"{answer}\n")
        assert result.exit_code == 0
        assert str(storage.settings_file()) in result.stderr
        assert str(life.named / "features") in result.stderr
        assert (life.found() == []) is is_gone
        assert ("Nothing was deleted." in result.stderr) is not is_gone


def test_that_where_nobody_can_be_asked_nothing_is_deleted(life):
    before = sorted(life.home.rglob("*"))
    for arguments in ((), ("--json",)):
        assert "--yes" in refused(run("forget", *arguments), 2)
    assert sorted(life.home.rglob("*")) == before


def test_that_the_command_tells_machines_what_is_gone(life):
    told = json.loads(run("forget", "--yes", "--json").stdout)
    assert told["problems"] == []
    assert str(storage.settings_file()) in told["removed"]
    assert json.loads(run("forget", "--yes", "--json").stdout) == {"removed": [], "problems": []}
    assert run("forget").stdout == "Nothing is stored.\n"


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root deletes anything")
def test_that_the_command_tells_what_could_not_be_deleted(life):
    storage.config_folder().chmod(0o500)
    try:
        result = run("forget", "--yes")
    finally:
        storage.config_folder().chmod(0o700)
    assert result.exit_code == 1
    assert "settings.json could not be deleted" in result.stderr


@POSIX
@pytest.mark.fault(GROUP, "files and folders under a permissive umask")
def test_that_everything_is_its_owners_alone_whatever_the_umask(attempt, home):
    before = os.umask(0)
    try:
        life = Life(home)
        life.lead()
        life.journal.close()
    finally:
        os.umask(before)
    # The home itself and what the test made by hand are not the program's.
    made = [p for p in home.rglob("*") if "killed" not in str(p) and p.name not in ("ab",)]
    assert len(made) > 15
    for path in made:
        with attempt():
            assert path.stat().st_mode & 0o077 == 0, path
