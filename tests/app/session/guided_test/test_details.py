"""Details of a test, and templates of them."""

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

GIVEN = Details({"tester": "Ann", "n_subjects": "12"}, {"print": {"made": "laser, 600 dpi"}})


def test_that_details_are_read_as_they_were_written():
    assert details_from(GIVEN.as_dict()) == GIVEN


def test_that_numbers_of_toml_are_taken_and_empty_answers_left_out():
    read = details_from({"n_subjects": 12, "tester": " ", "species": {"Print": {"made": ""}}})
    assert read == Details({"n_subjects": "12"})


def test_that_other_values_are_refused_with_the_reason():
    for value, why in (
        ([], "Expected `object`"),
        ({"testr": "Ann"}, "testr"),
        ({"n_subjects": "twelve"}, "n_subjects must be a whole number"),
        ({"n_subjects": "100001"}, "n_subjects must be a whole number"),
        ({"n_subjects": True}, "n_subjects: Expected `int | str`, got `bool`"),
        ({"tester": ["Ann"]}, "tester: Expected"),
        ({"species": {"bona fide": {}}}, "is not an attack"),
        ({"species": {"print": "laser"}}, "species: Expected `object`"),
        ({"species": {f"mask {n}": {} for n in range(101)}}, "species: Expected .* <= 100"),
    ):
        with pytest.raises(GuidedTestError, match=why.replace("|", "[|]")):
            details_from(value)


def test_that_answers_are_one_line_of_bounded_length():
    (answer,) = details_from({"tester": "A\nB\u202e" + "x" * 500}).values.values()
    assert answer.startswith("A Bx")
    assert len(answer) == 200


def test_that_templates_are_kept_for_their_owner_only_and_deleted_with_everything():
    save_templates(Templates(GIVEN).with_named(" Lab \n A ", GIVEN))
    kept = load_templates()
    assert (kept.last, dict(kept.named)) == (GIVEN, {"Lab A": GIVEN})
    file = storage.personal_folder() / details.TEMPLATES_NAME
    assert file.stat().st_mode & 0o077 == 0
    storage.delete_all()
    assert not file.exists()
    assert load_templates() == Templates()


def test_that_a_template_needs_a_name_and_a_free_place():
    with pytest.raises(GuidedTestError, match="no name"):
        Templates().with_named(" ", GIVEN)
    full = Templates(named={str(n): GIVEN for n in range(details.MOST_TEMPLATES)})
    with pytest.raises(GuidedTestError, match="delete one first"):
        full.with_named("one more", GIVEN)
    assert "0" not in full.without("0").named
    assert full.with_named("0", Details()).named["0"] == Details()


def test_that_damaged_templates_are_as_good_as_none():
    for text in ("", "[1]", '{"last": {}}', '{"last": 3, "templates": {}}', "[" * 9999):
        storage.data_folder()
        storage.write_text(storage.personal_folder() / details.TEMPLATES_NAME, text)
        assert load_templates() == Templates()
