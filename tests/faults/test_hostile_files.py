"""Files that would exhaust memory, mislead or hang are refused before they are decoded."""

import contextlib
import itertools
import json
import os
import struct
import threading
import tracemalloc
from zlib import crc32

import numpy as np
import pytest
import torch

from app import settings as app_settings
from app import storage
from app.capture.folder import ImageFolder, read_image
from app.capture.opencv import cv2
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from app.cli import saved_session
from app.cli.saved_session import read_session
from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import ProtocolError
from app.models.files import load as load_model
from app.models.summary import describe
from app.reports import build
from app.reports.json_files import guided_test_document as as_document
from app.session.guided_test.presentation import GuidedTestError
from lmkl_core import ModelFileError
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.presets import PresetError, load_preset
from lmkl_core.features.weights.tensors import read_tensors
from lmkl_core.model_file import from_bytes, to_bytes
from lmkl_core.model_file.container import seal
from tests.app.capture.media import png_that_claims
from tests.app.guided_tests import session
from tests.app.models.small_models import file_with, window_model
from tests.app.reports.example_context import context
from tests.core.model_file_mutations import small_model, unsealed
from tools.fuzzing.target import CORPUS

GROUP = "Hostile files"
HUGE = 60_000
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


PICTURE = np.zeros((12, 16, 3), np.uint8)


def encoded(suffix):
    return cv2.imencode(suffix, PICTURE)[1].tobytes()


def jpeg_with(before_frame=b"", width=HUGE, height=HUGE):
    """Return a JPEG whose frame header declares a size, after some bytes."""
    data = bytearray(encoded(".jpg"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data[:at]) + before_frame + bytes(data[at:])


def bmp_of(width, height):
    data = bytearray(encoded(".bmp"))
    data[18:26] = struct.pack("<ii", width, height)
    return bytes(data)


def webp_of(width, height):
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\x64\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + canvas + bytes(60)


def tiff_of(*sizes, order="<"):
    """Return the beginning of a grey TIFF with these tags."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    tags = sorted([*sizes, (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (279, 10)])
    entries = b"".join(struct.pack(order + "HHII", tag, 4, 1, value) for tag, value in tags)
    return mark + struct.pack(order + "IH", 8, len(tags)) + entries + bytes(64)


GIANTS = {
    "JPEG": jpeg_with(),
    "JPEG with a zero that is not a marker": jpeg_with(b"\xff\0\0\x13" + bytes(2)),
    "progressive JPEG": jpeg_with().replace(b"\xff\xc0", b"\xff\xc2"),
    "PNG": png_that_claims(HUGE, HUGE),
    "PNG of one line": png_that_claims(10**6, 100),
    "BMP": bmp_of(HUGE, HUGE),
    "BMP from top to bottom": bmp_of(HUGE, -HUGE),
    "animated WebP": webp_of(HUGE, HUGE),
    "TIFF": tiff_of((256, HUGE), (257, HUGE)),
    "big-endian TIFF": tiff_of((256, HUGE), (257, HUGE), order=">"),
}


def cause_of(data, path):
    """Return why an image is refused."""
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        read_image(path)
    return caught.value.cause


@pytest.fixture
def cause_undecoded(tmp_path, monkeypatch):
    """Return a function that returns why an image is refused, and fails if it is decoded."""
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    return lambda data: cause_of(data, tmp_path / "x.png")


@pytest.mark.fault(GROUP, "giant images of every format that is read")
def test_that_a_giant_image_is_refused(attempt, tmp_path):
    for name, data in GIANTS.items():
        with attempt():
            assert cause_of(data, tmp_path / "x.png") is Cause.TOO_LARGE, name


def test_that_a_small_tiff_of_giant_tiles_is_not_decoded(cause_undecoded):
    # OpenCV would allocate up to 1 GiB for the third.
    for wide, high in ((2**16, 2**16), (2**24, 8), (2**14, 2**14 - 16)):
        for order in "<>":
            data = tiff_of((256, 16), (257, 16), (322, wide), (323, high), order=order)
            assert cause_undecoded(data) is Cause.UNREADABLE, (wide, high)


def png_with(kind, body=b"", length=None):
    """Return a PNG with a chunk after its header, which may declare a wrong length."""
    plain = encoded(".png")
    end = 8 + 12 + 13  # of the signature and of the header
    length = struct.pack(">I", len(body) if length is None else length)
    return plain[:end] + length + kind + body + struct.pack(">I", crc32(kind + body)) + plain[end:]


@pytest.mark.fault(GROUP, "PNG chunks that would fill the memory")
def test_that_a_chunk_longer_than_the_file_is_not_decoded(attempt, cause_undecoded):
    lengths = (2**32 - 1, 2**31 - 1, 10_000)
    for kind, length in itertools.product((b"IDAT", b"tEXt", b"eXIf"), lengths):
        with attempt():
            assert cause_undecoded(png_with(kind, length=length)) is Cause.UNREADABLE, (
                kind,
                length,
            )


def with_segments(n, marker=b"\xff\xe1"):
    return encoded(".jpg")[:2] + (marker + b"\0\2") * n + encoded(".jpg")[2:]


def test_that_countless_segments_or_chunks_are_not_decoded(cause_undecoded):
    # OpenCV would allocate 100 bytes for each of the four bytes of a segment.
    for marker in (b"\xff\xe1", b"\xff\xe2"):
        assert cause_undecoded(with_segments(1 << 15, marker)) is Cause.UNREADABLE
    chunk = struct.pack(">I4sI", 0, b"tEXt", 0)
    assert cause_undecoded(encoded(".png")[:33] + chunk * (1 << 18)) is Cause.UNREADABLE


def test_that_a_reasonable_number_of_segments_chunks_and_pages_is_read(tmp_path):
    comment = png_with(b"tEXt", b"Comment\0hello")
    for data in (with_segments(1000), comment, encoded(".png") + b"more"):
        (tmp_path / "x").write_bytes(data)
        assert read_image(tmp_path / "x").shape == (12, 16, 3)
    pages = [PICTURE, *[np.zeros((30, 40, 3), np.uint8)] * 20]
    assert cv2.imwritemulti(str(tmp_path / "many.tiff"), pages)
    assert read_image(tmp_path / "many.tiff").shape == (12, 16, 3)  # the first page only


OTHER_FORMATS = {
    "GIF": b"GIF89a" + struct.pack("<HH", HUGE, HUGE) + bytes(60),
    "JPEG 2000": b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(60),
    "JPEG 2000 stream": b"\xff\x4f\xff\x51" + bytes(60),
    "AVIF": b"\0\0\0\x1cftypavif" + bytes(60),
    "OpenEXR": b"v/1\x01" + bytes(60),
    "Radiance": b"#?RADIANCE\n\n-Y 60000 +X 60000\n" + bytes(60),
    "PNM": b"P6 60000 60000 255\n" + bytes(60),
    "PAM": b"P7\nWIDTH 60000\nHEIGHT 60000\n" + bytes(60),
    "PFM": b"PF\n60000 60000\n-1\n" + bytes(60),
    "Sun raster": b"\x59\xa6\x6a\x95" + struct.pack(">II", HUGE, HUGE) + bytes(60),
    "SVG": b"<svg xmlns='http://www.w3.org/2000/svg' width='60000' height='60000'/>",
    "big TIFF": b"II+\0\x08\0\0\0" + bytes(60),
    "ZIP": b"PK\x03\x04" + bytes(60),
    "DICOM": bytes(128) + b"DICM" + bytes(60),
}


@pytest.mark.fault(GROUP, "images whose size is unknown before decoding")
def test_that_an_image_of_unknown_size_is_not_decoded(attempt, cause_undecoded):
    for name, data in OTHER_FORMATS.items():
        with attempt():
            assert cause_undecoded(data) is Cause.UNREADABLE, name


def refusal(read, path):
    """Return what reading a file raises; fail if it waits for a writer."""
    caught = []

    def run():
        try:
            read(path)
        except Exception as error:
            caught.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert caught, "it was read, or waits for a writer"
    return caught[0]


@posix
@pytest.mark.fault(GROUP, "pipes and devices instead of files")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_that_pipes_and_devices_are_refused_at_once(kind, tmp_path, monkeypatch, attempt):
    def make(name):
        path = tmp_path / name
        os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
        return path

    monkeypatch.setenv(storage.CONFIG_VARIABLE, str(tmp_path))
    make(storage.SETTINGS_NAME)
    readers = [
        (read_image, "x.png", SourceError),
        (load_preset, "x.toml", PresetError),
        (load_model, "x.safetensors", ModelFileError),
        (read_session, "x.json", GuidedTestError),
        (read_tensors, "x.pth", InvalidInputError),
    ]
    for read, name, expected in readers:
        with attempt():
            assert type(refusal(read, make(name))) is expected
    with attempt():
        chosen, problems = app_settings.load()
        assert chosen == app_settings.Settings()
        assert len(problems) == 1


@posix
def test_that_a_folder_of_images_skips_pipes_devices_loops_and_folders(tmp_path):
    os.mkfifo(tmp_path / "a.png")
    (tmp_path / "b.png").symlink_to("/dev/zero")
    (tmp_path / "c.png").symlink_to(tmp_path / "c.png")
    (tmp_path / "d.png").mkdir()
    (tmp_path / "e.png").write_bytes(encoded(".png"))
    assert ImageFolder(tmp_path).open().n_frames == 1


@posix
@pytest.mark.fault(GROUP, "links that lead out of a database")
def test_that_a_link_in_a_database_may_not_lead_out_of_it(tmp_path):
    root, outside = tmp_path / "raw", tmp_path / "secret.jpg"
    outside.touch()
    lists = {name: [] for name in ("client", "imposter")}
    for who, folder in (("client", "ClientRaw"), ("imposter", "ImposterRaw")):
        for number in (1, 3):
            name = f"0001/0001_00_00_0{number}_0.jpg"
            path = root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            lists[who].append(name)
    for who, names in lists.items():
        for split, name in zip(("train", "test"), names, strict=True):
            (root / f"{who}_{split}_raw.txt").write_text(name + "\n")

    def read():
        return DATABASES["nuaa"].read(root, "", "client-independent")

    assert read().folds
    linked = root / "ClientRaw/0001/0001_00_00_01_0.jpg"
    linked.unlink()
    linked.symlink_to(outside)
    with pytest.raises(ProtocolError, match="links that lead out"):
        read()
    # A whole folder on another disk was linked by the user.
    linked.unlink()
    linked.touch()
    (root / "ClientRaw").rename(tmp_path / "elsewhere")
    (root / "ClientRaw").symlink_to(tmp_path / "elsewhere")
    assert read().folds


@posix
@pytest.mark.fault(GROUP, "settings, presets and sessions of one gigabyte")
def test_that_a_gigabyte_is_refused_unread(tmp_path, monkeypatch, attempt):
    monkeypatch.setenv(storage.CONFIG_VARIABLE, str(tmp_path))
    for name in (storage.SETTINGS_NAME, "x.toml", "x.json"):
        with open(tmp_path / name, "wb") as file:
            file.truncate(1 << 30)
    monkeypatch.setattr(saved_session, "MAX_BYTES", 1 << 20)
    tracemalloc.start()
    try:
        with attempt():
            chosen, problems = app_settings.load()
            assert chosen == app_settings.Settings()
            assert "256 KiB" in problems[0]
        with attempt(), pytest.raises(PresetError, match="longer than"):
            load_preset(tmp_path / "x.toml")
        with attempt(), pytest.raises(GuidedTestError, match="larger than"):
            read_session(tmp_path / "x.json")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.fault(GROUP, "JSON that grows in memory or is nested without end")
@pytest.mark.parametrize(
    "text", ["[" + "[]," * (1 << 20) + "[]]", "[" * 100_000, '{"a":' * 100_000], ids=len
)
def test_that_json_that_grows_is_refused_before_it_is_parsed(text, tmp_path, monkeypatch):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(GuidedTestError):
        read_session(tmp_path / "x.json")
    monkeypatch.setenv(storage.CONFIG_VARIABLE, str(tmp_path))
    (tmp_path / "x.json").rename(tmp_path / storage.SETTINGS_NAME)
    chosen, problems = app_settings.load()
    assert chosen == app_settings.Settings()
    assert len(problems) == 1


def test_that_a_session_with_too_many_values_is_refused(tmp_path, monkeypatch):
    (tmp_path / "x.json").write_text(json.dumps([0] * 2000))
    with pytest.raises(GuidedTestError, match="not a test session"):
        read_session(tmp_path / "x.json")
    monkeypatch.setattr(saved_session, "MOST_VALUES", 1000)
    with pytest.raises(GuidedTestError, match="too large"):
        read_session(tmp_path / "x.json")


def test_that_a_report_with_an_invalid_count_is_read_without_its_model(tmp_path):
    stored = json.dumps(as_document(build(session(2, 2), context())), allow_nan=False)
    (tmp_path / "x.json").write_text(stored)
    assert read_session(tmp_path / "x.json").model is not None
    for count in ("Infinity", "1e999", "NaN", "true", '"7"', "7.5", "null"):
        changed = stored.replace('"n_scores": 240', f'"n_scores": {count}')
        assert changed != stored
        (tmp_path / "x.json").write_text(changed)
        found = read_session(tmp_path / "x.json")
        assert found.model is None, count
        assert len(found.guided_test.presentations) == 6


@pytest.mark.filterwarnings("ignore")  # torch's deprecations
@pytest.mark.fault(GROUP, "weights that are sparse, quantized or empty")
def test_that_weights_that_are_not_plain_numbers_are_refused(tmp_path, attempt):
    value = torch.ones(3)
    for tensor in (
        value.to_sparse(),
        value.to("meta"),
        torch.quantize_per_tensor(value, 0.1, 0, torch.quint8),
        torch.complex(value, value),
    ):
        torch.save({"a": value, "b": tensor}, tmp_path / "w.pth")
        with attempt(), pytest.raises(InvalidInputError, match="cannot be read"):
            read_tensors(tmp_path / "w.pth")


@pytest.fixture
def changed_model(tmp_path):
    """Return a function that changes the document and tensors of a model's file."""

    def changed_model(change):
        document, tensors = unsealed(to_bytes(window_model().estimator, extra=window_model().extra))
        change(document, tensors)
        (tmp_path / "x.safetensors").write_bytes(seal(document, tensors))
        return tmp_path / "x.safetensors"

    return changed_model


def test_that_texts_in_a_model_file_that_cannot_be_displayed_are_refused(changed_model):
    for key in ("solver", "stop_reason"):
        text = {key: "\x1b[31mred\u202e"}
        path = changed_model(lambda document, _, text=text: document["certificate"].update(text))
        with pytest.raises(ModelFileError, match="control characters"):
            load_model(path)
    path = changed_model(lambda document, _: document["views"][0].update(name="eyes\u202e"))
    with pytest.raises(ModelFileError, match="names that cannot be"):
        load_model(path)


def test_that_the_preset_of_a_model_file_is_shortened_to_one_line(tmp_path):
    features = {"preset": {"name": "tiny\n\x1b[31m" + "x" * 1000}}
    summary = describe(load_model(file_with(tmp_path / "x.safetensors", features=features)))
    assert summary.preset.isprintable()
    assert len(summary.preset) <= 200


def test_that_a_model_whose_scores_exceed_the_theory_has_no_bounds(changed_model):
    assert describe(window_model()).bounds

    def scale(_, tensors):
        tensors["dual_coef"] *= 1e9

    assert describe(load_model(changed_model(scale))).bounds == ()


@pytest.mark.parametrize("kind", ["views", "inducing"])
def test_that_a_support_row_far_from_the_others_gives_finite_scores(kind):
    # The centre is so far from the rows that rounding once made squared distances negative.
    document, tensors = unsealed(to_bytes(small_model(kind)))
    tensors["support.1"][2, 0] *= 1e11
    model, manifest = from_bytes(seal(document, tensors))
    rng = np.random.default_rng(0)
    views = {view.name: rng.normal(size=(200, view.columns)) for view in manifest.views}
    # Weights, memberships and kernels are at most 1 each.
    bound = np.abs(model._fitted.scorer.coefficients).sum() * model.kernel_weights_.size
    assert np.max(np.abs(model.explain(views))) <= bound


def avi_of(width, height):
    """Return a video whose headers declare a size that its frames do not have."""
    data = bytearray((CORPUS / "video" / "short.avi").read_bytes())
    size = struct.pack("<II", 32, 24)
    at, found = data.find(size), 0
    while at >= 0:
        data[at : at + 8] = struct.pack("<II", width, height)
        at, found = data.find(size, at + 8), found + 1
    assert found >= 2  # in the header of the file and in that of the stream
    return bytes(data)


@pytest.mark.fault(GROUP, "videos that announce giant frames")
def test_that_a_video_that_declares_giant_frames_gives_none(attempt, tmp_path):
    path = tmp_path / "giant.avi"
    for side in (HUGE, 2**31 - 1, 20_000, 0):
        path.write_bytes(avi_of(side, side))
        with attempt(), contextlib.suppress(SourceError), VideoFile(path, paced=False) as video:
            # A decoder that reads the size from the frames themselves finds small ones.
            assert video.read().image.shape == (24, 32, 3)
