"""Report files on disk."""

import json
import os
from dataclasses import replace

import pytest

from app.reports import ReportError, build, write
from app.session.guided_test.guided_test import GuidedTest
from tests.app.guided_tests import session
from tests.app.reports.example_context import context, model


@pytest.fixture
def report():
    return build(session(3, 3), context())


@pytest.mark.parametrize("ending", [".html", ""])
def test_that_the_files_share_a_name_in_a_new_folder(report, tmp_path, ending):
    folder = tmp_path / "new"
    written = write(report, folder / f"camera test.v2{ending}")
    endings = ("-details.csv", "-presentations.csv", ".csv", ".html", ".json")
    assert sorted(os.listdir(folder)) == [f"camera test.v2{each}" for each in endings]
    assert written.summary.html == str(folder / "camera test.v2.html")
    assert report.summary.html == ""
    document = json.loads((folder / "camera test.v2.json").read_text(encoding="utf-8"))
    assert GuidedTest.from_dict(document["session"]).presentations == report.presentations


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


def test_that_unknown_values_are_null_and_never_nan(tmp_path):
    unknown = replace(model().calibration, bpcer=float("nan"), interval=(0.0, float("inf")))
    for guided_test in (GuidedTest(), session(1, 0, ()), session(0, 1)):
        write(build(guided_test, context(model=model(calibration=unknown))), tmp_path / "r.html")
        text = (tmp_path / "r.json").read_text(encoding="utf-8")
        json.loads(text, parse_constant=refuse_constant)


def test_that_a_name_that_cannot_be_encoded_does_not_stop_the_report(tmp_path):
    report = build(session(1, 1), context(source="camera \udcff"))
    write(report, tmp_path / "r.html")
    assert "camera ?" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_that_a_place_that_cannot_be_written_is_refused(report, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for path in (tmp_path / "file" / "r.html", "a\0b.html"):
        with pytest.raises(ReportError, match="another folder"):
            write(report, path)


def test_that_a_page_that_cannot_be_replaced_leaves_no_temporary_file(report, tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(ReportError):
        write(report, tmp_path / "r.html")
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
