"""Views of recordings on disk: found again, never mistaken, made again when damaged."""

import os
import shutil

import joblib
import numpy as np
import pytest

from app.evaluation.cache import Cache, key_of
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from app.vision.quality import Limits
from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.presets import load_preset, with_descriptors
from lmkl_core.model_file.container import seal
from tests.app.evaluation.example_layouts import N_FRAMES, picture_of_noise, together


@pytest.fixture(scope="module")
def eyes():
    return FeaturePipeline(with_descriptors(load_preset("tiny")), gate=False)


@pytest.fixture
def recording(recorded):
    return together(recorded).recordings[0]


def library(eyes, folder, n_frames=N_FRAMES):
    return FeatureStore(eyes, Cache("features", folder), n_frames)


def path_of(shelf, recording):
    key = shelf.key(recording)
    return shelf.cache.folder / key[:2] / f"{key}.safetensors"


def test_that_views_are_those_of_the_pipeline(eyes, cache, recording):
    shelf = library(eyes, cache)
    shelf.prepare([recording])
    entry = shelf.features(recording)
    eyes.pipeline.reset()
    results = [eyes.pipeline.process(frame) for frame in recording.reader.frames(N_FRAMES)]
    assert entry.n_ready == len(results) == N_FRAMES
    for name, view in entry.views.items():
        assert np.array_equal(view, np.concatenate([result.views[name] for result in results]))
    assert entry.conditions[0, 0] == results[0].condition.brightness


def test_that_kept_views_are_found_by_content_wherever_a_file_lies(
    eyes, cache, recording, tmp_path, calls
):
    moved = tmp_path / "elsewhere.avi"
    shutil.copy(recording.reader.path, moved)
    reader = type(recording.reader)(moved)
    renamed = type(recording)("elsewhere.avi", recording.subject, recording.species, reader)
    shelf = library(eyes, cache)
    shelf.prepare([renamed])
    assert not calls
    assert shelf.seen["elsewhere.avi"].n_ready == N_FRAMES


@pytest.mark.parametrize("difference", ["frames", "gate", "limits", "preset", "pipeline"])
def test_that_what_changes_views_changes_the_key(
    eyes, tmp_path, recording, difference, monkeypatch
):
    tiny = with_descriptors(load_preset("tiny"))
    if difference == "limits":
        eyes = FeaturePipeline(tiny, gate=True)
    expected = library(eyes, tmp_path).key(recording)
    assert library(eyes, tmp_path).key(recording) == expected
    if difference == "frames":
        other = library(eyes, tmp_path, n_frames=N_FRAMES + 1)
    elif difference == "gate":
        other = library(FeaturePipeline(tiny, gate=True), tmp_path)
    elif difference == "limits":
        strict = Limits(min_size=400.0)
        monkeypatch.setattr("app.evaluation.extraction.Limits", lambda: strict)
        other = library(FeaturePipeline(tiny, gate=True), tmp_path)
    elif difference == "preset":
        other = library(FeaturePipeline(load_preset("tiny"), gate=False), tmp_path)
    else:
        monkeypatch.setattr("app.evaluation.extraction.PIPELINE_VERSION", 0)
        other = library(eyes, tmp_path)
    assert other.key(recording) != expected


def test_that_damaged_entries_are_made_again(eyes, cache, recording, calls):
    shelf = library(eyes, cache)
    path = path_of(shelf, recording)
    whole = path.read_bytes()
    shelf.prepare([recording])
    assert not calls
    other = {"format": 1, "views": list(eyes.columns), "reasons": [], "key": key_of("another")}
    damaged = {
        "truncated": whole[:-100],
        "empty": b"",
        "one bit": whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:],
        "another's": seal(other, {"ready": np.ones(N_FRAMES, int)}),
    }
    for kind, data in damaged.items():
        calls.clear()
        path.write_bytes(data)
        shelf.prepare([recording])
        assert len(calls) == N_FRAMES, kind
        assert path.read_bytes() == whole, kind


def test_that_an_entry_lost_after_preparing_is_made_again(eyes, cache, recording, calls):
    shelf = library(eyes, cache)
    shelf.prepare([recording])
    path_of(shelf, recording).unlink()
    assert shelf.features(recording).n_ready == N_FRAMES
    assert len(calls) == N_FRAMES


def test_that_frames_without_a_face_are_kept_with_the_reason(eyes, tmp_path, calls):
    recording = picture_of_noise(tmp_path / "wall.png")
    for _ in range(2):
        shelf = library(eyes, tmp_path)
        shelf.prepare([recording])
        seen = shelf.seen["wall.png"]
        assert (len(seen.ready), seen.n_ready) == (1, 0)
        assert [reason.startswith("No face found") for reason in seen.reasons] == [True]
        entry = shelf.features(recording)
        assert entry.n_ready == 0
        assert {view.shape[0] for view in entry.views.values()} == {0}
    assert len(calls) == 1


def test_that_several_processes_make_the_same_views(eyes, cache, recorded, tmp_path, monkeypatch):
    recordings = together(recorded).recordings
    expected = library(eyes, cache)
    expected.prepare(recordings)
    shelf, told = library(eyes, tmp_path / "new"), []
    monkeypatch.setattr(shelf, "_make", None)  # none of it may be made here
    with joblib.parallel_config(backend="loky"):
        shelf.prepare(recordings, n_jobs=2, progress=lambda *step: told.append(step[:2]))
    for recording in recordings:
        kept = [path_of(one, recording).read_bytes() for one in (shelf, expected)]
        assert kept[0] == kept[1]
    n = N_FRAMES * len(recordings)
    assert told[-1] == (n, n)


def test_that_what_workers_cannot_read_is_tried_here_and_told(eyes, recorded, tmp_path):
    good = together(recorded).recordings[0]
    broken = tmp_path / "broken.avi"
    broken.write_bytes(b"no video")
    bad = type(good)("broken.avi", "P001", "bona fide", type(good.reader)(broken))
    shelf = library(eyes, tmp_path / "new")
    with joblib.parallel_config(backend="threading"):
        shelf.prepare([bad, good], n_jobs=2)
    assert shelf.seen["broken.avi"].problem
    assert shelf.seen[good.name].n_ready == N_FRAMES


def test_that_several_jobs_can_be_cancelled_and_keep_what_they_finished(eyes, recorded, tmp_path):
    recordings = together(recorded).recordings
    shelf = library(eyes, tmp_path)
    with joblib.parallel_config(backend="threading"), pytest.raises(Cancelled):
        shelf.prepare(recordings, n_jobs=2, cancel=lambda: len(shelf.seen) > 2)
    kept = [recording for recording in recordings if path_of(shelf, recording).exists()]
    assert 2 < len(kept) < len(recordings)


def test_that_an_image_is_one_frame_of_work(eyes, tmp_path):
    recordings = [picture_of_noise(tmp_path / f"{number}.png") for number in range(3)]
    told = []
    library(eyes, tmp_path / "new", n_frames=20).prepare(
        recordings, progress=lambda *step: told.append(step)
    )
    assert {total for _, total, text in told if text.startswith("Making views")} == {3}
    assert told[-1][:2] == (3, 3)


def test_that_what_killed_processes_left_is_deleted(tmp_path):
    cache = Cache("features", tmp_path)
    old, new = cache.folder / ".views-old", cache.folder / ".views-new"
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "train.0.npy").write_bytes(b"large")
    os.utime(old, (0, 0))
    with cache.scratch():
        assert not old.exists()
        assert new.exists()


def test_that_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = Cache("features", tmp_path / "file")
    with pytest.raises(InvalidInputError, match=r"The cache folder .* cannot be written"):
        cache.store(key_of(1), {}, {})
    with (
        pytest.raises(InvalidInputError, match=r"The cache folder .* cannot be written"),
        cache.scratch(),
    ):
        pass
