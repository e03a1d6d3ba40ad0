"""The report on disk."""

import csv
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


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_that_page_json_and_csv_share_a_name(report, tmp_path):
    written = write(report, tmp_path / "camera test.v2.html")
    assert sorted(os.listdir(tmp_path)) == [
        "camera test.v2-details.csv",
        "camera test.v2-presentations.csv",
        "camera test.v2.csv",
        "camera test.v2.html",
        "camera test.v2.json",
    ]
    assert written.summary.html == str(tmp_path / "camera test.v2.html")
    assert report.summary.html == ""


def test_that_the_ending_is_added_and_the_folder_made(report, tmp_path):
    written = write(report, tmp_path / "new" / "report.v2")
    assert written.html.endswith("report.v2.html")
    assert (tmp_path / "new" / "report.v2.json").exists()


def test_that_the_json_holds_the_session_itself(report, tmp_path):
    write(report, tmp_path / "r.html")
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert GuidedTest.from_dict(document["session"]).presentations == report.presentations


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


def test_that_what_is_not_known_is_null_and_never_nan(tmp_path):
    unknown = replace(model().calibration, bpcer=float("nan"), interval=(0.0, float("inf")))
    for guided_test in (GuidedTest(), session(1, 0, ()), session(0, 1)):
        write(build(guided_test, context(model=model(calibration=unknown))), tmp_path / "r.html")
        text = (tmp_path / "r.json").read_text(encoding="utf-8")
        json.loads(text, parse_constant=refuse_constant)


def test_that_a_name_that_cannot_be_encoded_does_not_stop_the_report(tmp_path):
    report = build(session(1, 1), context(source="camera \udcff"))
    write(report, tmp_path / "r.html")
    assert "camera ?" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_that_a_place_that_cannot_be_written_is_told_in_one_sentence(report, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for path in (tmp_path / "file" / "r.html", "a\0b.html"):
        with pytest.raises(ReportError, match=r"^The report cannot be written to .*: choose .*\.$"):
            write(report, path)


def test_that_a_page_that_cannot_be_replaced_leaves_no_temporary_file(report, tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(ReportError):
        write(report, tmp_path / "r.html")
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
