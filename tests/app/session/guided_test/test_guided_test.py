"""The guided test session."""

import json
import math
from dataclasses import replace

import pytest

from app.session.guided_test.guided_test import FRAMES_WANTED, SECONDS_WANTED, GuidedTest
from app.session.guided_test.presentation import GuidedTestError
from app.types import BONA_FIDE, Familiarity, Verdict
from lmkl_core import clopper_pearson
from tests.app.guided_tests import present, scored, session


@pytest.fixture
def guided_test():
    guided_test = GuidedTest()
    guided_test.use_model("digest-1")
    return guided_test


def last(guided_test):
    return guided_test.presentations[-1]


def test_that_a_presentation_ends_after_the_wanted_number_of_scored_frames(guided_test):
    guided_test.start("print", False)
    ended = [guided_test.offer(scored(0.2)) for _ in range(FRAMES_WANTED)]
    assert ended == [False] * (FRAMES_WANTED - 1) + [True]
    assert (len(last(guided_test).scores), guided_test.is_presenting) == (FRAMES_WANTED, False)


def test_that_an_attack_without_a_face_ends_by_its_time(guided_test):
    guided_test.start("paper mask", False)
    times = [step / 4 for step in range(100)]
    ended = [
        time for time in times if guided_test.offer(scored(verdict=Verdict.NO_FACE, time=10 + time))
    ]
    assert ended == [SECONDS_WANTED]
    assert last(guided_test).verdict is Verdict.NO_FACE


def test_that_a_slow_machine_gets_the_frames_it_needs(guided_test):
    guided_test.start("print", False)
    ended = [guided_test.offer(scored(0.2, time=3.0 * number)) for number in range(5)]
    assert ended == [False, False, False, False, True]
    assert last(guided_test).verdict is Verdict.ATTACK


def test_that_a_clock_that_starts_anew_does_not_end_a_presentation(guided_test):
    guided_test.start("print", False)
    for number, time in enumerate([100.0, 0.0, 0.1, 0.2, 0.3, 0.4, 100.0]):
        assert guided_test.offer(scored(0.2, time=time)) is (number == 6)


def test_that_finishing_too_early_keeps_nothing_and_says_so(guided_test):
    present(guided_test, "print", [0.2] * 4)
    assert guided_test.presentations == ()
    assert "too short" in guided_test.state.hint


def test_that_a_cancelled_presentation_leaves_nothing(guided_test):
    guided_test.start("print", False)
    for _ in range(10):
        guided_test.offer(scored(0.2))
    guided_test.cancel()
    assert (guided_test.presentations, guided_test.state.presenting) == ((), "")


def test_that_a_test_without_a_model_ends_and_names_the_way_out(guided_test):
    guided_test.start("print", False)
    guided_test.offer(scored(verdict=Verdict.NO_MODEL))
    assert (guided_test.is_presenting, guided_test.presentations) == (False, ())
    assert "enrol a face" in guided_test.state.hint


def test_that_a_new_threshold_begins_the_presentation_again(guided_test):
    guided_test.start("print", False)
    for _ in range(20):
        guided_test.offer(scored(0.2))
    for _ in range(FRAMES_WANTED):
        guided_test.offer(scored(0.2, threshold=0.1))
    assert (last(guided_test).threshold, last(guided_test).verdict) == (0.1, Verdict.GENUINE)
    assert len(last(guided_test).frames) == FRAMES_WANTED


def test_that_a_new_model_begins_the_presentation_again(guided_test):
    guided_test.start("print", False)
    for _ in range(20):
        guided_test.offer(scored(0.9))
    guided_test.use_model("digest-2")
    for _ in range(FRAMES_WANTED):
        guided_test.offer(scored(0.2))
    assert (last(guided_test).digest, len(last(guided_test).frames)) == ("digest-2", FRAMES_WANTED)


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
def test_that_the_mean_over_the_scored_frames_decides(guided_test, scores, expected):
    present(guided_test, "print", scores)
    assert last(guided_test).verdict is expected


def test_that_a_refusal_of_mostly_unfamiliar_frames_is_unfamiliar_and_counts_as_refused(
    guided_test,
):
    guided_test.start(BONA_FIDE, False)
    for _ in range(20):
        guided_test.offer(scored(0.4, verdict=Verdict.UNFAMILIAR))
    for _ in range(10):
        guided_test.offer(scored(0.4))
    assert last(guided_test).verdict is Verdict.UNFAMILIAR
    (row,) = guided_test.tally
    assert (row.n, row.n_refused, row.n_no_response, row.errors.value) == (1, 1, 0, 1.0)


def test_that_unfamiliar_frames_do_not_hinder_acceptance(guided_test):
    guided_test.start(BONA_FIDE, False)
    for number in range(FRAMES_WANTED):
        low = number % 2 == 0
        guided_test.offer(scored(0.4 if low else 0.9, verdict=Verdict.UNFAMILIAR if low else None))
    assert last(guided_test).verdict is Verdict.GENUINE


def in_light(room, liveness=None, place=0.0):
    """Return what a frame in such a light has beside its score."""
    familiarity = Familiarity(room, "window", ("the room is darker",), room, place)
    return {"familiarity": familiarity, "liveness": liveness}


def test_that_means_decide_where_light_and_liveness_are_known(guided_test):
    for liveness, expected in ((None, Verdict.UNFAMILIAR), (0.9, Verdict.UNFAMILIAR),
                               (0.1, Verdict.ATTACK)):  # fmt: skip
        guided_test.start("print", False)
        for number in range(FRAMES_WANTED):
            # Most frames were called an attack; their mean light was not enrolled all the same.
            light = in_light(9.0 if number % 3 == 0 else 0.0, liveness)
            guided_test.offer(replace(scored(0.4), **light))
        assert last(guided_test).verdict is expected
        assert last(guided_test).decision.liveness == (liveness and pytest.approx(liveness))
        assert "compared with window, the room is darker" in last(guided_test).decision.reason


def test_that_light_and_liveness_survive_json(guided_test):
    for room, liveness in ((math.inf, 0.9), (2.0, 0.1), (2.0, None), (0.0, 0.9)):
        guided_test.start(BONA_FIDE, False)
        for _ in range(FRAMES_WANTED):
            guided_test.offer(replace(scored(0.4), **in_light(room, liveness, place=0.1)))
    copy = GuidedTest.from_dict(json.loads(json.dumps(guided_test.as_dict(), allow_nan=False)))
    expected = [Verdict.UNFAMILIAR, Verdict.ATTACK, Verdict.UNFAMILIAR, Verdict.ATTACK]
    for read, kept, verdict in zip(
        copy.presentations, guided_test.presentations, expected, strict=True
    ):
        assert read.verdict is kept.verdict is verdict
        assert read.decision.liveness == kept.decision.liveness
    assert copy.presentations[0].decision.reason.endswith(
        "it looks live (90 %), but in a light that was not enrolled. Add it only if this is "
        "the live person."
    )
    assert copy.as_dict() == guided_test.as_dict()


def test_that_a_session_without_light_and_liveness_is_read_by_what_frames_were_called(guided_test):
    guided_test.start(BONA_FIDE, False)
    for _ in range(FRAMES_WANTED):
        guided_test.offer(replace(scored(0.4, verdict=Verdict.UNFAMILIAR), **in_light(2.0, 0.9)))
    document = guided_test.as_dict()
    for name in ("liveness", "room", "place"):
        del document["presentations"][0][name]
    (read,) = GuidedTest.from_dict(document).presentations
    assert (read.verdict, read.decision.liveness) == (Verdict.UNFAMILIAR, None)


def test_that_the_commoner_reason_names_a_missing_response(guided_test):
    guided_test.start("print", False)
    for verdict in [Verdict.NO_FACE] * 3 + [Verdict.POOR_QUALITY] * 3 + [Verdict.BAD_FRAME]:
        guided_test.offer(scored(verdict=verdict))
    guided_test.finish()
    assert last(guided_test).verdict is Verdict.POOR_QUALITY


def test_that_the_tally_counts_each_species_errors_with_the_exact_interval(guided_test):
    present(guided_test, "print", [0.9] * 5)
    present(guided_test, "print", [0.1] * 5)
    present(guided_test, "print", [None] * 5)
    present(guided_test, BONA_FIDE, [0.9] * 5)
    bona_fide, prints = guided_test.tally
    assert (prints.n, prints.n_accepted, prints.n_refused, prints.n_no_response) == (3, 1, 1, 1)
    assert (prints.errors.value, prints.errors.interval) == (0.5, clopper_pearson(1, 2))
    assert (bona_fide.species, bona_fide.errors.value) == (BONA_FIDE, 0.0)


def test_that_numbers_stay_when_a_presentation_is_removed(guided_test):
    for _ in range(3):
        present(guided_test, "print", [0.1] * 5)
    guided_test.remove(2)
    guided_test.remove(2)
    present(guided_test, "print", [0.1] * 5)
    assert [shown.number for shown in guided_test.state.presentations] == [1, 3, 4]


def test_that_a_cleared_session_is_as_good_as_new(guided_test):
    present(guided_test, "print", [0.1] * 5)
    guided_test.clear()
    assert guided_test.state == GuidedTest().state


def test_that_names_are_kept_as_one_plain_line(guided_test):
    for typed, kept in (
        ("  My\n\tmask ", "My mask"),
        ("PRINT", "print"),
        ("Bona Fide", BONA_FIDE),
        ("a\u202eb\x00", "ab"),
        ("<script>", "<script>"),
    ):
        guided_test.start(typed, False)
        assert guided_test.state.presenting == kept


def test_that_a_name_that_differs_only_in_case_is_the_same_species(guided_test):
    present(guided_test, "Silicone", [0.1] * 5)
    present(guided_test, "silicone", [0.1] * 5)
    assert [row.species for row in guided_test.tally] == ["Silicone"]


def test_that_an_impossible_name_is_refused_in_one_sentence(guided_test):
    for typed in ("", " \n", "\x00", "x" * 61):
        with pytest.raises(GuidedTestError, match=r"^The (attack has no name|name of the attack)"):
            guided_test.start(typed, False)


def test_that_progress_and_hint_follow_the_frames(guided_test):
    guided_test.start("print", False)
    for _ in range(15):
        guided_test.offer(scored(0.2))
    guided_test.offer(scored(verdict=Verdict.NO_FACE))
    assert guided_test.state.progress == pytest.approx(0.5)
    assert "15 of 30 frames judged. No face is found." in guided_test.state.hint


def test_that_a_session_survives_json():
    guided_test = session(2, 2)
    present(guided_test, "a <b>", [None] * 6, is_simulated=True)
    guided_test.remove(1)
    copy = GuidedTest.from_dict(json.loads(json.dumps(guided_test.as_dict(), allow_nan=False)))
    assert copy.presentations == guided_test.presentations
    assert copy.state.tally == guided_test.state.tally


def broken(**changes):
    document = session(1, 0, species=()).as_dict()
    document["presentations"][0].update(changes)
    return document


def test_that_a_bad_session_is_refused_in_one_sentence():
    for value in (
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
    ):
        with pytest.raises(
            GuidedTestError, match=r"^(This|Presentation 1 of this) .*\.$"
        ) as caught:
            GuidedTest.from_dict(value)
        assert "\n" not in str(caught.value)


def test_that_a_number_given_twice_is_refused():
    document = session(2, 0, species=()).as_dict()
    document["presentations"][1]["number"] = 1
    with pytest.raises(GuidedTestError, match="Presentation 2"):
        GuidedTest.from_dict(document)
