"""The guided test session."""

import json
import math
from dataclasses import replace

import pytest

from app.session.guided_test.presentation import TrialError
from app.session.guided_test.trial import FRAMES_WANTED, SECONDS_WANTED, Trial
from app.types import BONA_FIDE, Familiarity, Verdict
from lmkl_core import clopper_pearson
from tests.app.trial_material import present, scored, session


@pytest.fixture
def trial():
    trial = Trial()
    trial.use_model("digest-1")
    return trial


def last(trial):
    return trial.presentations[-1]


# ------------------------------------------------------------------ when it ends


def test_that_a_presentation_ends_after_the_wanted_number_of_scored_frames(trial):
    trial.start("print", False)
    ended = [trial.offer(scored(0.2)) for _ in range(FRAMES_WANTED)]
    assert ended == [False] * (FRAMES_WANTED - 1) + [True]
    assert (last(trial).shown.n_frames, trial.is_presenting) == (FRAMES_WANTED, False)


def test_that_an_attack_without_a_face_ends_by_its_time(trial):
    trial.start("paper mask", False)
    times = [step / 4 for step in range(100)]
    ended = [time for time in times if trial.offer(scored(verdict=Verdict.NO_FACE, time=10 + time))]
    assert ended == [SECONDS_WANTED]
    assert last(trial).verdict is Verdict.NO_FACE


def test_that_a_slow_machine_gets_the_frames_it_needs(trial):
    trial.start("print", False)
    ended = [trial.offer(scored(0.2, time=3.0 * number)) for number in range(5)]
    assert ended == [False, False, False, False, True]
    assert last(trial).verdict is Verdict.ATTACK


def test_that_a_clock_that_starts_anew_does_not_end_a_presentation(trial):
    trial.start("print", False)
    for number, time in enumerate([100.0, 0.0, 0.1, 0.2, 0.3, 0.4, 100.0]):
        assert trial.offer(scored(0.2, time=time)) is (number == 6)


def test_that_frames_between_presentations_are_not_counted(trial):
    assert trial.offer(scored(0.9)) is False
    assert trial.presentations == ()


def test_that_finishing_early_keeps_what_can_be_judged(trial):
    present(trial, "print", [0.2] * 5)
    assert last(trial).verdict is Verdict.ATTACK


def test_that_finishing_too_early_keeps_nothing_and_says_so(trial):
    present(trial, "print", [0.2] * 4)
    assert trial.presentations == ()
    assert "too short" in trial.shown.hint


def test_that_finishing_without_a_start_changes_nothing(trial):
    assert trial.finish() is False


def test_that_a_cancelled_presentation_leaves_nothing(trial):
    trial.start("print", False)
    for _ in range(10):
        trial.offer(scored(0.2))
    trial.cancel()
    assert (trial.presentations, trial.shown.presenting) == ((), "")


def test_that_starting_again_drops_the_frames_so_far(trial):
    trial.start("print", False)
    trial.offer(scored(0.9))
    trial.start("phone", False)
    assert (trial.shown.presenting, trial.shown.progress) == ("phone", 0.0)


def test_that_a_test_without_a_model_ends_and_names_the_way_out(trial):
    trial.start("print", False)
    trial.offer(scored(verdict=Verdict.NO_MODEL))
    assert (trial.is_presenting, trial.presentations) == (False, ())
    assert "enrol a face" in trial.shown.hint


def test_that_a_new_threshold_begins_the_presentation_again(trial):
    trial.start("print", False)
    for _ in range(20):
        trial.offer(scored(0.2))
    for _ in range(FRAMES_WANTED):
        trial.offer(scored(0.2, threshold=0.1))
    assert (last(trial).threshold, last(trial).verdict) == (0.1, Verdict.GENUINE)
    assert len(last(trial).frames) == FRAMES_WANTED


def test_that_a_new_model_begins_the_presentation_again(trial):
    trial.start("print", False)
    for _ in range(20):
        trial.offer(scored(0.9))
    trial.use_model("digest-2")
    for _ in range(FRAMES_WANTED):
        trial.offer(scored(0.2))
    assert (last(trial).digest, len(last(trial).frames)) == ("digest-2", FRAMES_WANTED)


# ------------------------------------------------------------------ what it is called


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.9] * 5, Verdict.GENUINE),
        ([0.1] * 5, Verdict.ATTACK),
        ([0.4, 0.4, 0.4, 0.4, 0.9], Verdict.GENUINE),
        ([0.6, 0.6, 0.6, 0.6, 0.0], Verdict.ATTACK),
        ([None] * 9 + [0.9] * 4, Verdict.NO_FACE),
    ],
)
def test_that_the_mean_over_the_scored_frames_decides(trial, scores, expected):
    present(trial, "print", scores)
    assert last(trial).verdict is expected


def test_that_equal_scores_on_the_threshold_are_accepted(trial):
    # The sum of 30 times 0.1, divided by 30, may be rounded to less than 0.1.
    for threshold in (0.1, 0.3, 0.7, 1 / 3):
        present(trial, BONA_FIDE, [threshold] * FRAMES_WANTED, threshold=threshold)
        assert last(trial).verdict is Verdict.GENUINE


def test_that_a_refusal_of_mostly_unfamiliar_frames_is_unfamiliar_and_counts_as_refused(trial):
    trial.start(BONA_FIDE, False)
    for _ in range(20):
        trial.offer(scored(0.4, verdict=Verdict.UNFAMILIAR))
    for _ in range(10):
        trial.offer(scored(0.4))
    assert last(trial).verdict is Verdict.UNFAMILIAR
    (row,) = trial.tally
    assert (row.n, row.n_refused, row.n_no_response, row.errors.value) == (1, 1, 0, 1.0)


def test_that_a_refusal_of_half_unfamiliar_frames_is_an_attack(trial):
    trial.start("print", False)
    for number in range(FRAMES_WANTED):
        trial.offer(scored(0.4, verdict=Verdict.UNFAMILIAR if number % 2 else None))
    assert last(trial).verdict is Verdict.ATTACK


def test_that_unfamiliar_frames_do_not_hinder_acceptance(trial):
    trial.start(BONA_FIDE, False)
    for number in range(FRAMES_WANTED):
        low = number % 2 == 0
        trial.offer(scored(0.4 if low else 0.9, verdict=Verdict.UNFAMILIAR if low else None))
    assert last(trial).verdict is Verdict.GENUINE


def in_light(room, liveness=None, place=0.0):
    """Return what a frame in such a light has beside its score."""
    familiarity = Familiarity(room, "window", ("the room is darker",), room, place)
    return {"familiarity": familiarity, "liveness": liveness}


def test_that_means_decide_where_light_and_liveness_are_known(trial):
    for liveness, expected in ((None, Verdict.UNFAMILIAR), (0.9, Verdict.UNFAMILIAR),
                               (0.1, Verdict.ATTACK)):  # fmt: skip
        trial.start("print", False)
        for number in range(FRAMES_WANTED):
            # Most frames were called an attack; their mean light was not enrolled all the same.
            light = in_light(9.0 if number % 3 == 0 else 0.0, liveness)
            trial.offer(replace(scored(0.4), **light))
        assert last(trial).verdict is expected
        assert last(trial).liveness == (liveness and pytest.approx(liveness))
        assert "compared with window, the room is darker" in last(trial).reason


def test_that_light_and_liveness_survive_json(trial):
    for room, liveness in ((math.inf, 0.9), (2.0, 0.1), (2.0, None), (0.0, 0.9)):
        trial.start(BONA_FIDE, False)
        for _ in range(FRAMES_WANTED):
            trial.offer(replace(scored(0.4), **in_light(room, liveness, place=0.1)))
    copy = Trial.from_dict(json.loads(json.dumps(trial.as_dict(), allow_nan=False)))
    expected = [Verdict.UNFAMILIAR, Verdict.ATTACK, Verdict.UNFAMILIAR, Verdict.ATTACK]
    for read, kept, verdict in zip(copy.presentations, trial.presentations, expected, strict=True):
        assert read.verdict is kept.verdict is verdict
        assert read.liveness == kept.liveness
    assert copy.presentations[0].reason.endswith(
        "it looks live (90 %), but in a light that was not enrolled. Add it only if this is "
        "the live person."
    )
    assert copy.as_dict() == trial.as_dict()


def test_that_a_session_without_light_and_liveness_is_read_by_what_frames_were_called(trial):
    trial.start(BONA_FIDE, False)
    for _ in range(FRAMES_WANTED):
        trial.offer(replace(scored(0.4, verdict=Verdict.UNFAMILIAR), **in_light(2.0, 0.9)))
    document = trial.as_dict()
    for name in ("liveness", "room", "place"):
        del document["presentations"][0][name]
    (read,) = Trial.from_dict(document).presentations
    assert (read.verdict, read.liveness) == (Verdict.UNFAMILIAR, None)


def test_that_the_commoner_reason_names_a_missing_response(trial):
    trial.start("print", False)
    for verdict in [Verdict.NO_FACE] * 3 + [Verdict.POOR_QUALITY] * 3 + [Verdict.BAD_FRAME]:
        trial.offer(scored(verdict=verdict))
    trial.finish()
    assert last(trial).verdict is Verdict.POOR_QUALITY


# ------------------------------------------------------------------ the tally


def test_that_the_tally_counts_each_species_errors_with_the_exact_interval(trial):
    present(trial, "print", [0.9] * 5)
    present(trial, "print", [0.1] * 5)
    present(trial, "print", [None] * 5)
    present(trial, BONA_FIDE, [0.9] * 5)
    bona_fide, prints = trial.tally
    assert (prints.n, prints.n_accepted, prints.n_refused, prints.n_no_response) == (3, 1, 1, 1)
    assert (prints.errors.value, prints.errors.interval) == (0.5, clopper_pearson(1, 2))
    assert (bona_fide.species, bona_fide.errors.value) == (BONA_FIDE, 0.0)


def test_that_numbers_stay_when_a_presentation_is_removed(trial):
    for _ in range(3):
        present(trial, "print", [0.1] * 5)
    trial.remove(2)
    trial.remove(2)
    present(trial, "print", [0.1] * 5)
    assert [shown.number for shown in trial.shown.presentations] == [1, 3, 4]


def test_that_a_cleared_session_is_as_good_as_new(trial):
    present(trial, "print", [0.1] * 5)
    trial.clear()
    assert trial.shown == Trial().shown


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  My\n\tmask ", "My mask"),
        ("PRINT", "print"),
        ("Bona Fide", BONA_FIDE),
        ("a\u202eb\x00", "ab"),
        ("<script>", "<script>"),
    ],
)
def test_that_names_are_kept_as_one_plain_line(trial, typed, kept):
    trial.start(typed, False)
    assert trial.shown.presenting == kept


def test_that_a_name_that_differs_only_in_case_is_the_same_species(trial):
    present(trial, "Silicone", [0.1] * 5)
    present(trial, "silicone", [0.1] * 5)
    assert [row.species for row in trial.tally] == ["Silicone"]


@pytest.mark.parametrize("typed", ["", " \n", "\x00", "x" * 61])
def test_that_an_impossible_name_is_refused_in_one_sentence(trial, typed):
    with pytest.raises(TrialError, match=r"^The (attack has no name|name of the attack)"):
        trial.start(typed, False)


def test_that_progress_and_hint_follow_the_frames(trial):
    trial.start("print", False)
    for _ in range(15):
        trial.offer(scored(0.2))
    trial.offer(scored(verdict=Verdict.NO_FACE))
    assert trial.shown.progress == pytest.approx(0.5)
    assert "15 of 30 frames judged. No face is found." in trial.shown.hint


def test_that_the_outcome_is_told_with_its_figures(trial):
    present(trial, "print", [0.25] * 5)
    assert trial.shown.hint == ("Right: the print was refused. Mean score 0.250, threshold 0.500.")


# ------------------------------------------------------------------ kept as JSON


def test_that_a_session_survives_json():
    trial = session(2, 2)
    present(trial, "a <b>", [None] * 6, is_simulated=True)
    trial.remove(1)
    copy = Trial.from_dict(json.loads(json.dumps(trial.as_dict(), allow_nan=False)))
    assert copy.presentations == trial.presentations
    assert copy.shown.tally == trial.shown.tally


def test_that_a_restored_session_goes_on_counting():
    copy = Trial.from_dict(session(2, 0).as_dict())
    present(copy, "print", [0.1] * 5)
    assert last(copy).number == 3


def broken(**changes):
    document = session(1, 0, species=()).as_dict()
    document["presentations"][0].update(changes)
    return document


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"format": "lmkl-pad test session", "version": 2},
        {"format": "lmkl-pad test session", "version": 1, "presentations": {}},
        {"format": "lmkl-pad test session", "version": 1, "presentations": [7]},
        broken(number=0),
        broken(number=True),
        broken(species=""),
        broken(species="a\nb"),
        broken(species=["print"]),
        broken(is_simulated=1),
        broken(model_digest=None),
        broken(threshold="0.5"),
        broken(threshold=None),
        broken(threshold=float("nan")),
        broken(threshold=10**400),
        broken(threshold=99.0),
        broken(scores=[]),
        broken(scores=[], verdicts=[]),
        broken(scores=[float("inf")], verdicts=["genuine"]),
        broken(scores=[None], verdicts=["genuine"]),
        broken(scores=[0.7], verdicts=["no face"]),
        broken(scores=[0.7], verdicts=["attack"]),
        broken(scores=[0.7], verdicts=["looking"]),
        broken(scores=[0.7], verdicts=[{}]),
        broken(scores=[0.7], verdicts=["genuine"], liveness=[], room=[0.0], place=[0.0]),
        broken(scores=[0.7], verdicts=["genuine"], liveness=[1.1], room=[0.0], place=[0.0]),
        broken(scores=[0.7], verdicts=["genuine"], liveness=[0.1], room=[-1.0], place=[0.0]),
        broken(scores=[0.7], verdicts=["genuine"], liveness=[0.1], room=[0.0], place=[None]),
        broken(scores=[None], verdicts=["no face"], liveness=[0.1], room=[None], place=[None]),
        broken(room=7),
        broken(verdicts=["\ud800"]),
        broken(**{"\ud800": 1}),
        broken(capture={"\ud800": 1}),
        {"format": "lmkl-pad test session", "version": 1, "presentations": [], "\ud800": 1},
    ],
)
def test_that_a_bad_session_is_refused_in_one_sentence(value):
    with pytest.raises(TrialError, match=r"^(This|Presentation 1 of this) .*\.$") as caught:
        Trial.from_dict(value)
    assert "\n" not in str(caught.value)


def test_that_a_number_given_twice_is_refused():
    document = session(2, 0, species=()).as_dict()
    document["presentations"][1]["number"] = 1
    with pytest.raises(TrialError, match="Presentation 2"):
        Trial.from_dict(document)
