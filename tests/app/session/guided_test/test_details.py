"""Details of a test, and stored templates for them."""

import pytest

from app import storage
from app.session.guided_test import details
from app.session.guided_test.details import (
    Details,
    Templates,
    details_from,
    load_templates,
    save_templates,
)
from app.session.guided_test.presentation import GuidedTestError

DETAILS = Details({"tester": "Ann", "n_subjects": "12"}, {"print": {"made": "laser, 600 dpi"}})


def test_that_details_survive_a_file():
    assert details_from(DETAILS.as_dict()) == DETAILS


def test_that_numbers_are_accepted_and_answers_are_cleaned():
    read = details_from({"n_subjects": 12, "tester": " ", "species": {"Print": {"made": ""}}})
    assert read == Details({"n_subjects": "12"})
    read = details_from({"tester": "A\nB\u202e" + "x" * 500})
    assert read == Details({"tester": "A B" + "x" * 197})


def test_that_invalid_details_are_refused_with_the_reason():
    for value, reason in (
        ([], "object"),
        ({"testr": "Ann"}, "testr"),
        ({"n_subjects": "twelve"}, "n_subjects"),
        ({"n_subjects": "100001"}, "n_subjects"),
        ({"n_subjects": True}, "n_subjects"),
        ({"tester": ["Ann"]}, "tester"),
        ({"species": {"bona fide": {}}}, "bona fide"),
        ({"species": {"print": "laser"}}, "species"),
        ({"species": {f"mask {n}": {} for n in range(101)}}, "species: .* <= 100"),
    ):
        with pytest.raises(GuidedTestError, match=reason):
            details_from(value)


def test_that_templates_are_stored_for_their_owner_only_and_deleted_with_everything():
    save_templates(Templates(DETAILS).with_named(" Lab \n A ", DETAILS))
    assert load_templates() == Templates(DETAILS, {"Lab A": DETAILS})
    file = storage.personal_folder() / details.TEMPLATES_NAME
    assert file.stat().st_mode & 0o077 == 0
    storage.delete_all()
    assert load_templates() == Templates()


def test_that_a_template_needs_a_name_and_there_is_a_limit_to_their_number():
    with pytest.raises(GuidedTestError, match="no name"):
        Templates().with_named(" ", DETAILS)
    full = Templates(named={str(n): DETAILS for n in range(details.MOST_TEMPLATES)})
    with pytest.raises(GuidedTestError, match="delete"):
        full.with_named("one more", DETAILS)
    assert "0" not in full.without("0").named
    assert full.with_named("0", Details()).named["0"] == Details()


def test_that_damaged_templates_count_as_none():
    storage.data_folder()
    for text in ("", "[1]", '{"last": {}}', '{"last": 3, "templates": {}}', "[" * 9999):
        storage.write_text(storage.personal_folder() / details.TEMPLATES_NAME, text)
        assert load_templates() == Templates(), text
