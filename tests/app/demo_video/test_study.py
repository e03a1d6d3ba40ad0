import pytest

from app.demo_video import INSTRUMENTS, study
from lmkl_core.errors import InvalidInputError


def test_that_no_take_plays_two_roles():
    plan = study(("P001", "P002"), takes_per_condition=3)
    takes = [take for _, take in plan.roles()]
    assert len(takes) == len(set(takes))


def test_that_no_recording_of_a_study_shares_its_file_name_with_another():
    plan = study(("P001", "P002"), takes_per_condition=2)
    names = [(take.person, take.label, take.name) for _, take in plan.roles()]
    assert len(names) == len(set(names))


def test_that_studies_of_different_seeds_share_no_take():
    one = {take for _, take in study(("P001",), seed=0).roles()}
    other = {take for _, take in study(("P001",), seed=1).roles()}
    assert not one & other


def test_that_new_conditions_are_never_enrolled():
    plan = study(("P001",))
    enrolled = {take.condition for take in plan.enrol}
    assert {take.condition for take in plan.genuine} == enrolled
    assert not enrolled & {take.condition for take in plan.new + plan.attacks_new}


def test_that_every_instrument_attacks_every_person_in_every_enrolled_condition():
    plan = study(("P001", "P003"), enrolled=("window", "lamp"))
    got = {(take.person, take.instrument, take.condition) for take in plan.attacks}
    assert len(got) == len(plan.attacks) == 2 * len(INSTRUMENTS) * 2


def test_that_genuine_and_attack_takes_are_equally_long():
    plan = study(("P001",), n_frames=7)
    assert {take.n_frames for _, take in plan.roles()} == {7}


def test_that_a_condition_both_enrolled_and_new_is_refused():
    with pytest.raises(InvalidInputError, match="lamp"):
        study(("P001",), enrolled=("lamp",), new=("lamp",))
