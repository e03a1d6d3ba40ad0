"""Plans, details and sessions of guided tests in the real window."""

import pytest
from PySide6.QtWidgets import QLineEdit

from app import storage
from app.session.guided_test.keeping import kept_tests
from app.types import BONA_FIDE, Verdict
from tests.qt.driving import answer_box, with_dialog


@pytest.fixture
def tested(launch, exported, monkeypatch):
    """Return a function that starts the program with a model and opens the test page."""
    monkeypatch.setattr("app.session.guided_test.guided_test.FRAMES_WANTED", 16)

    def start():
        driver = launch(recent=(str(exported),), reopen_last=True).until_modelled()
        driver.turn_to("Test")
        return driver

    return start


def present(driver, species=BONA_FIDE):
    """Present something with the buttons of the page, and return the presentation."""
    page, guided_test = driver.pages.test, driver.session.guided_test
    n_before = len(guided_test.presentations)
    page._picker.choose(species)
    driver.until(page._present.present_button.isEnabled)
    driver.click(page._present.present_button)
    driver.until(lambda: len(guided_test.presentations) == n_before + 1)
    return guided_test.presentations[-1]


def outcomes(driver):
    return [
        (p.number, p.species, p.verdict, p.scores, p.capture)
        for p in driver.session.guided_test.presentations
    ]


def n_made(page):
    """Return the number of presentations by species, as the plan shows them."""
    return {row.species: row.n_made for row in page._guided_test.plan.rows}


def test_that_a_session_is_continued_with_its_plan_after_a_restart(tested):
    driver = tested()
    page = driver.pages.test
    driver.choose(page._plan.choice, "Quick look")
    assert present(driver).verdict is Verdict.GENUINE
    assert present(driver, "print").verdict is Verdict.ATTACK
    before = outcomes(driver)
    assert kept_tests() == ()  # the session is open
    assert driver.close()
    (kept,) = kept_tests()
    assert kept.n_presentations == 2

    again = tested()
    page = again.pages.test
    assert again.session.guided_test.presentations == ()
    again.until(page.continue_button.isVisible)
    again.click(page.continue_button)
    again.until(lambda: outcomes(again) == before)
    assert not page.continue_button.isVisible()
    assert page._plan.choice.currentData() == "Quick look"
    assert n_made(page) == {BONA_FIDE: 1, "print": 1, "phone": 0, "tablet": 0}
    assert present(again).number == 3
    assert n_made(page)[BONA_FIDE] == 2
    again.until(lambda: page._report._report)
    (folder,) = (storage.personal_folder() / storage.TESTS_NAME).glob("*/")
    assert sorted(file.name for file in folder.iterdir()) == [
        *(f"0000{n}.json" for n in (1, 2, 3)),
        "session.json",
    ]


def test_that_sessions_are_put_away_continued_dropped_and_deleted_after_asking(tested):
    driver = tested()
    page = driver.pages.test
    for species in ("print", "phone"):
        present(driver, species)
        driver.click(page._tally.close_button)
        driver.until(lambda: driver.session.guided_test.presentations == ())
    driver.until(page.another_button.isVisible)
    driver.click(page.another_button)
    driver.click(page.continue_button)
    driver.until(lambda: driver.session.guided_test.presentations)
    assert [p.species for p in driver.session.guided_test.presentations] == ["print"]
    answer_box("Discard")
    driver.click(page._tally.clear_button)
    driver.until(lambda: driver.session.guided_test.presentations == ())
    driver.until(page.forget_button.isVisible)
    asked = answer_box("Keep")
    driver.click(page.forget_button)
    driver.until(lambda: asked)
    assert len(kept_tests()) == 1
    answer_box("Delete")
    driver.click(page.forget_button)
    driver.until(lambda: kept_tests() == ())
    driver.until(lambda: not page.continue_button.isVisible())
    assert not list((storage.personal_folder() / storage.TESTS_NAME).glob("*/"))


def test_that_details_are_kept_for_other_tests_and_counted_in_the_report(tested):
    driver = tested()
    panel = driver.pages.test._report
    present(driver, "print")
    driver.until(lambda: panel._report is not None)
    n_missing = panel._report.n_missing

    def fill_in(dialog):
        for key, species, text in (
            ("tester", "", "Ann"),
            ("n_subjects", "", "12"),
            ("made", "print", "laser, 600 dpi"),
        ):
            editor = dialog.editor(key, species)
            assert isinstance(editor, QLineEdit)
            editor.setText(text)
        dialog.template.setEditText("Our lab")
        dialog.save_button.click()
        dialog.ok_button.click()

    with_dialog(fill_in)
    driver.click(panel.details_button)
    driver.until(lambda: panel._report.n_missing == n_missing - 3)
    assert driver.session.guided_test.details.of("print") == {"made": "laser, 600 dpi"}
    assert driver.close()

    again = tested()
    assert again.session.guided_test.details.values == {"tester": "Ann", "n_subjects": "12"}
    seen = []

    def use_template(dialog):
        seen.extend(dialog.template.itemText(n) for n in range(dialog.template.count()))
        dialog.template.setEditText("Our lab")
        dialog.delete_button.click()
        dialog.reject()

    with_dialog(use_template)
    again.click(again.pages.test._report.details_button)
    again.until(lambda: seen)
    assert seen == ["Our lab"]
    again.until(lambda: not again.controller.guided_test.templates.named)
    again.controller.delete_everything()
    assert not storage.personal_folder().exists()
    assert again.session.guided_test.details.values == {}
    assert not again.pages.test.continue_button.isVisible()


def test_that_neither_a_broken_plan_nor_a_full_disk_ends_the_test(
    tested, file_dialogs, tmp_path, monkeypatch
):
    driver = tested()
    card = driver.pages.test._plan
    file = file_dialogs(tmp_path / "own.toml")
    file.write_text('name = "Mine"\nbona_fide = 2\n[species]\nprint = 1\n')
    driver.click(card.open_button)
    driver.until(lambda: driver.session.guided_test.plan is not None)
    assert card.choice.currentData() == "Mine"
    # Once the plan has enough of a species, the page selects the next one.
    present(driver, "print")
    driver.until(lambda: driver.pages.test._picker.species == BONA_FIDE)
    file.write_text("name = 3")
    driver.click(card.open_button)
    driver.until_notice("own.toml cannot be used (name")
    assert driver.session.guided_test.plan.name == "Mine"
    driver.choose(card.choice, "")
    guided_test = driver.session.guided_test
    assert guided_test.plan is None

    def refuse(*_):
        raise storage.StorageError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(storage, "write_text", refuse)
        present(driver)
        driver.until_notice("(No space left on device)")
        assert len(guided_test.presentations) == 2
        # An unsaved session is not put away.
        driver.click(driver.pages.test._tally.close_button)
        assert len(guided_test.presentations) == 2
    driver.click(driver.pages.test._tally.close_button)
    driver.until(lambda: guided_test.presentations == ())
    assert [kept.n_presentations for kept in kept_tests()] == [2]
