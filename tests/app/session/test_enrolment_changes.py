"""Changes to takes: naming, removing, undoing, restoring, and the person of a take."""

from dataclasses import replace

import pytest

from app.names import LONGEST_NAME, LONGEST_PERSON, TAKE_NAMES
from app.session.takes import Offer
from tests.app.enrolments import Sitting
from tests.app.session.test_coverage import LAMP


@pytest.fixture
def sitting():
    return Sitting()


def test_that_a_take_without_a_visible_name_gets_the_suggested_one(sitting):
    for name in ("", "   ", "\n\t", "\x00\x07", "\u202e\u200b", "\ud800"):
        assert sitting.enrolment.start(name) == TAKE_NAMES[0], name


def test_that_names_are_kept_on_one_line_without_invisible_characters():
    for typed, kept in (
        ("  lamp \n light\t", "lamp light"),
        ("la\x00mp\x1b[31m", "lamp[31m"),
        ("\u202elamp\u202c", "lamp"),
        ("la\udc80mp", "lamp"),
        ("cafe\u0301", "caf\u00e9"),
        ("窓の光", "窓の光"),
        ("<b>lamp</b>", "<b>lamp</b>"),
        ("x" * 10_000, "x" * LONGEST_NAME),
        ("x" * (LONGEST_NAME - 1) + " yz", "x" * (LONGEST_NAME - 1)),
    ):
        sitting = Sitting()
        assert sitting.record(typed) == kept
        sitting.record("other")
        sitting.enrolment.rename_take(kept, "away")
        sitting.enrolment.rename_take("other", typed)
        assert sitting.takes == {"away": 6, kept: 6}


def test_that_two_takes_never_share_a_name(sitting):
    assert [sitting.record("lamp", 1) for _ in range(3)] == ["lamp", "lamp (2)", "lamp (3)"]
    sitting.enrolment.remove_take("lamp (2)")
    assert sitting.record("lamp", 1) == "lamp (2)"


def test_that_suggestions_are_not_repeated(sitting):
    suggested = []
    for _ in range(len(TAKE_NAMES) + 2):
        suggested.append(sitting.enrolment.state.suggested_name)
        sitting.record("", 1)
    assert tuple(suggested[: len(TAKE_NAMES)]) == TAKE_NAMES
    assert len(set(suggested)) == len(suggested)
    assert set(sitting.takes) == set(suggested)


def test_that_a_take_cannot_get_an_empty_or_taken_name(sitting):
    sitting.record("a")
    sitting.record("b")
    for new in ("", " \n", "\x00", "b", " b "):
        sitting.enrolment.rename_take("a", new)
    assert sitting.takes == {"a": 6, "b": 6}
    sitting.enrolment.undo()
    assert sitting.takes == {"a": 6}  # refused names leave nothing to undo
    sitting.enrolment.start("c")
    sitting.enrolment.rename_take("a", "c")
    sitting.offer()
    assert sitting.takes == {"a": 6, "c": 1}


def test_that_a_take_renamed_while_it_is_recorded_stays_one_take(sitting):
    sitting.enrolment.start("a")
    sitting.offer()
    sitting.enrolment.rename_take("a", "b")
    assert sitting.enrolment.recording == sitting.enrolment.state.collecting == "b"
    sitting.offer()
    assert sitting.takes == {"b": 2}


def test_that_every_change_can_be_undone_once():
    for change in (
        lambda enrolment: enrolment.remove_samples([0, 3]),
        lambda enrolment: enrolment.remove_samples(range(12)),
        lambda enrolment: enrolment.remove_take("a"),
        lambda enrolment: enrolment.rename_take("b", "c"),
        lambda enrolment: enrolment.assign_take("b", "Ben"),
    ):
        sitting = Sitting()
        sitting.record("a")
        sitting.record("b")
        before = sitting.enrolment.samples
        change(sitting.enrolment)
        assert sitting.enrolment.samples != before
        sitting.enrolment.undo()
        assert sitting.enrolment.samples == before
        sitting.enrolment.undo()
        assert sitting.takes == {"a": 6}


def test_that_a_call_that_changes_nothing_leaves_nothing_to_undo():
    for change in (
        lambda enrolment: enrolment.remove_samples([]),
        lambda enrolment: enrolment.remove_samples([77]),
        lambda enrolment: enrolment.remove_take("unknown"),
        lambda enrolment: enrolment.rename_take("unknown", "c"),
        lambda enrolment: enrolment.rename_take("a", "a"),
        lambda enrolment: enrolment.assign_take("a", ""),
    ):
        sitting = Sitting()
        sitting.record("a")
        change(sitting.enrolment)
        sitting.enrolment.undo()
        assert sitting.takes == {}
        assert not sitting.enrolment.state.can_undo


def test_that_undo_ends_the_take_being_recorded(sitting):
    sitting.record("a")
    sitting.enrolment.start("b")
    sitting.offer()
    sitting.enrolment.undo()
    assert (sitting.enrolment.is_recording, sitting.enrolment.state.hint) == (False, "")
    assert sitting.takes == {"a": 6}
    assert sitting.offer() is Offer.IGNORED


def test_that_a_frame_removed_while_recording_is_recorded_again(sitting):
    sitting.enrolment.start("a")
    sitting.offer()
    sitting.offer()
    sitting.enrolment.remove_samples([0])
    assert sitting.enrolment.state.n_collected == 1
    assert [sitting.offer() for _ in range(5)] == [Offer.KEPT] * 4 + [Offer.FINISHED]
    assert sitting.takes == {"a": 6}


def test_that_removing_the_take_being_recorded_ends_it(sitting):
    sitting.enrolment.start("a")
    sitting.offer()
    sitting.enrolment.remove_take("a")
    assert not sitting.enrolment.is_recording
    assert sitting.takes == {}
    sitting.enrolment.undo()
    assert sitting.takes == {"a": 1}
    sitting.enrolment.undo()
    assert sitting.takes == {}
    assert not sitting.enrolment.state.can_undo


def test_that_clearing_forgets_everything(sitting):
    sitting.record("a")
    sitting.enrolment.modelled = frozenset([0, 1])
    sitting.enrolment.start("b")
    sitting.enrolment.clear()
    state = sitting.enrolment.state
    assert (state.takes, state.samples, state.collecting, state.hint) == ((), (), "", "")
    assert not state.can_undo
    assert sitting.enrolment.modelled == frozenset()


def test_that_restored_takes_keep_their_person_and_get_free_names_and_numbers(sitting):
    earlier = Sitting()
    earlier.enrolment.set_person("Ann")
    earlier.record("lamp")
    earlier.record("window")
    sitting.record("lamp")
    sitting.enrolment.restore([replace(s, person="Ann\n") for s in earlier.enrolment.samples])
    assert sitting.takes == {"lamp": 6, "lamp (2)": 6, "window": 6}
    assert persons(sitting) == {"lamp": "", "lamp (2)": "Ann", "window": "Ann"}
    assert sitting.record("window") == "window (2)"
    assert len({sample.number for sample in sitting.enrolment.samples}) == 24


def persons(sitting):
    return {take.name: take.person for take in sitting.enrolment.state.takes}


def test_that_a_take_belongs_to_the_person_set_before_it(sitting):
    sitting.record("desk")
    sitting.enrolment.set_person("  Ann\n" + "x" * 100)
    sitting.record("desk")
    assert persons(sitting) == {"desk": "", "desk (2)": ("Ann " + "x" * 100)[:LONGEST_PERSON]}
    assert sitting.enrolment.state.person == persons(sitting)["desk (2)"]


def test_that_a_take_keeps_its_person_while_it_is_recorded(sitting):
    sitting.enrolment.set_person("Ann")
    sitting.enrolment.start("a")
    sitting.offer()
    sitting.enrolment.set_person("Ben")
    sitting.enrolment.assign_take("a", "Ben")
    sitting.offer()
    assert {sample.person for sample in sitting.enrolment.samples} == {"Ann"}
    assert sitting.enrolment.state.person == "Ann"


def test_that_assigning_a_take_changes_that_take_only(sitting):
    sitting.record("a")
    sitting.record("b")
    sitting.enrolment.assign_take("a", " Ann\n")
    sitting.enrolment.rename_take("a", "c")
    assert persons(sitting) == {"c": "Ann", "b": ""}


def test_that_the_same_names_are_suggested_for_every_person(sitting):
    sitting.record("")
    sitting.record("")
    assert sitting.enrolment.suggested_name == TAKE_NAMES[2]
    sitting.enrolment.set_person("Ben")
    assert sitting.enrolment.suggested_name == TAKE_NAMES[0]
    assert sitting.record("") == f"{TAKE_NAMES[0]} (2)"
    assert sitting.enrolment.suggested_name == TAKE_NAMES[1]


def test_that_coverage_is_that_of_the_person_who_has_least(sitting):
    def lights():
        return {item.name: item for item in sitting.enrolment.state.coverage}["Lights"]

    sitting.enrolment.set_person("Ann")
    sitting.record("a")
    sitting.record("b", condition=LAMP)
    assert lights().share == 1.0
    sitting.enrolment.set_person("Ben")
    sitting.record("c")
    assert lights().share == 0.5
    assert lights().advice.startswith("Ben: ")
