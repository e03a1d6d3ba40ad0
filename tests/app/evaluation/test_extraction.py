"""Cached views of recordings: found again, never confused, made again when damaged."""

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
def pipeline():
    return FeaturePipeline(with_descriptors(load_preset("tiny")), gate=False)


@pytest.fixture
def recording(recorded):
    return together(recorded).recordings[0]


def store_in(pipeline, folder, n_frames=N_FRAMES):
    return FeatureStore(pipeline, Cache("features", folder), n_frames)


def path_of(store, recording):
    key = store.key(recording)
    return store.cache.folder / key[:2] / f"{key}.safetensors"


def test_that_cached_views_equal_those_of_the_pipeline(pipeline, cache, recording):
    store = store_in(pipeline, cache)
    store.prepare([recording])
    entry = store.features(recording)
    pipeline.pipeline.reset()
    results = [pipeline.pipeline.process(frame) for frame in recording.reader.frames(N_FRAMES)]
    assert entry.n_ready == len(results) == N_FRAMES
    for name, view in entry.views.items():
        assert np.array_equal(view, np.concatenate([result.views[name] for result in results]))
    assert entry.conditions[0, 0] == results[0].condition.brightness


def test_that_cached_views_are_found_by_content(pipeline, cache, recording, tmp_path, calls):
    moved = tmp_path / "elsewhere.avi"
    shutil.copy(recording.reader.path, moved)
    reader = type(recording.reader)(moved)
    renamed = type(recording)("elsewhere.avi", recording.subject, recording.species, reader)
    store = store_in(pipeline, cache)
    store.prepare([renamed])
    assert not calls
    assert store.seen["elsewhere.avi"].n_ready == N_FRAMES


def test_that_everything_that_changes_views_changes_the_key(
    pipeline, tmp_path, recording, monkeypatch
):
    def key(pipeline=pipeline, n_frames=N_FRAMES):
        return store_in(pipeline, tmp_path, n_frames).key(recording)

    def gated():
        return key(FeaturePipeline(with_descriptors(load_preset("tiny")), gate=True))

    assert key() == key()
    without_descriptors = FeaturePipeline(load_preset("tiny"), gate=False)
    keys = [key(), key(n_frames=N_FRAMES + 1), key(without_descriptors), gated()]
    strict = Limits(min_size=400.0)
    monkeypatch.setattr("app.evaluation.extraction.Limits", lambda: strict)
    keys.append(gated())
    monkeypatch.setattr("app.evaluation.extraction.PIPELINE_VERSION", 0)
    keys.append(key())
    assert len(set(keys)) == len(keys)


def test_that_damaged_entries_are_made_again(pipeline, cache, recording, calls):
    store = store_in(pipeline, cache)
    path = path_of(store, recording)
    whole = path.read_bytes()
    store.prepare([recording])
    assert not calls
    other = {"format": 1, "views": list(pipeline.columns), "reasons": [], "key": key_of("another")}
    damaged = {
        "truncated": whole[:-100],
        "empty": b"",
        "one bit": whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:],
        "of another key": seal(other, {"ready": np.ones(N_FRAMES, int)}),
    }
    for kind, data in damaged.items():
        calls.clear()
        path.write_bytes(data)
        store.prepare([recording])
        assert len(calls) == N_FRAMES, kind
        assert path.read_bytes() == whole, kind


def test_that_an_entry_lost_after_preparing_is_made_again(pipeline, cache, recording, calls):
    store = store_in(pipeline, cache)
    store.prepare([recording])
    path_of(store, recording).unlink()
    assert store.features(recording).n_ready == N_FRAMES
    assert len(calls) == N_FRAMES


def test_that_frames_without_a_face_are_cached_with_the_reason(pipeline, tmp_path, calls):
    recording = picture_of_noise(tmp_path / "wall.png")
    for _ in range(2):
        store = store_in(pipeline, tmp_path)
        store.prepare([recording])
        seen = store.seen["wall.png"]
        assert (len(seen.ready), seen.n_ready) == (1, 0)
        assert [reason.startswith("No face found") for reason in seen.reasons] == [True]
        entry = store.features(recording)
        assert entry.n_ready == 0
        assert {view.shape[0] for view in entry.views.values()} == {0}
    assert len(calls) == 1


def test_that_several_processes_make_the_same_views(
    pipeline, cache, recorded, tmp_path, monkeypatch
):
    recordings = together(recorded).recordings
    expected = store_in(pipeline, cache)
    expected.prepare(recordings)
    store, steps = store_in(pipeline, tmp_path / "new"), []
    monkeypatch.setattr(store, "_make", None)  # nothing may be made in this process
    with joblib.parallel_config(backend="loky"):
        store.prepare(recordings, n_jobs=2, progress=lambda *step: steps.append(step[:2]))
    for recording in recordings:
        kept = [path_of(one, recording).read_bytes() for one in (store, expected)]
        assert kept[0] == kept[1]
    n = N_FRAMES * len(recordings)
    assert steps[-1] == (n, n)


def test_that_a_recording_that_workers_cannot_read_is_a_problem(pipeline, recorded, tmp_path):
    good = together(recorded).recordings[0]
    broken = tmp_path / "broken.avi"
    broken.write_bytes(b"no video")
    bad = type(good)("broken.avi", "P001", "bona fide", type(good.reader)(broken))
    store = store_in(pipeline, tmp_path / "new")
    with joblib.parallel_config(backend="threading"):
        store.prepare([bad, good], n_jobs=2)
    assert store.seen["broken.avi"].problem
    assert store.seen[good.name].n_ready == N_FRAMES


def test_that_cancelled_jobs_keep_finished_recordings(pipeline, recorded, tmp_path):
    recordings = together(recorded).recordings
    store = store_in(pipeline, tmp_path)
    with joblib.parallel_config(backend="threading"), pytest.raises(Cancelled):
        store.prepare(recordings, n_jobs=2, cancel=lambda: len(store.seen) > 2)
    kept = [recording for recording in recordings if path_of(store, recording).exists()]
    assert 2 < len(kept) < len(recordings)


def test_that_an_image_counts_as_one_step(pipeline, tmp_path):
    recordings = [picture_of_noise(tmp_path / f"{number}.png") for number in range(3)]
    steps = []
    store_in(pipeline, tmp_path / "new", n_frames=20).prepare(
        recordings, progress=lambda *step: steps.append(step)
    )
    assert {total for _, total, text in steps if text.startswith("Making views")} == {3}
    assert steps[-1][:2] == (3, 3)


def test_that_leftovers_of_killed_processes_are_deleted(tmp_path):
    cache = Cache("features", tmp_path)
    old, new = cache.folder / ".views-old", cache.folder / ".views-new"
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "train.0.npy").write_bytes(b"large")
    os.utime(old, (0, 0))
    with cache.scratch():
        assert not old.exists()
        assert new.exists()


def test_that_a_cache_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    cache = Cache("features", tmp_path / "file")
    with pytest.raises(InvalidInputError, match="cache folder"):
        cache.store(key_of(1), {}, {})
    with pytest.raises(InvalidInputError, match="cache folder"), cache.scratch():
        pass
