"""A guided test session: how presentations end, what they count as, and how they are stored."""

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


def offer(guided_test, n_frames=FRAMES_WANTED, *, light=None, **frame):
    """Offer copies of a judged frame; ``light`` are further fields of it."""
    for _ in range(n_frames):
        guided_test.offer(replace(scored(**frame), **(light or {})))


def through_json(guided_test):
    return GuidedTest.from_dict(json.loads(json.dumps(guided_test.as_dict(), allow_nan=False)))


def test_that_a_presentation_ends_after_the_wanted_number_of_scored_frames(guided_test):
    guided_test.start("print")
    ended = [guided_test.offer(scored(0.2)) for _ in range(FRAMES_WANTED)]
    assert ended == [False] * (FRAMES_WANTED - 1) + [True]
    assert (len(last(guided_test).scores), guided_test.is_presenting) == (FRAMES_WANTED, False)


def test_that_an_attack_without_a_face_ends_after_some_time(guided_test):
    guided_test.start("paper mask")
    times = [step / 4 for step in range(100)]
    ended = [
        time for time in times if guided_test.offer(scored(verdict=Verdict.NO_FACE, time=10 + time))
    ]
    assert ended == [SECONDS_WANTED]
    assert last(guided_test).verdict is Verdict.NO_FACE


@pytest.mark.parametrize(
    "times",
    [[0.0, 3.0, 6.0, 9.0, 12.0], [100.0, 0.0, 0.1, 0.2, 0.3, 0.4, 100.0]],
    ids=["a slow computer", "a clock that restarts"],
)
def test_that_a_presentation_gets_enough_frames_whatever_the_clock(guided_test, times):
    guided_test.start("print")
    ended = [guided_test.offer(scored(0.2, time=time)) for time in times]
    assert ended == [False] * (len(times) - 1) + [True]
    assert last(guided_test).verdict is Verdict.ATTACK


def test_that_a_presentation_finished_too_early_is_dropped_with_a_hint(guided_test):
    present(guided_test, "print", [0.2] * 4)
    assert guided_test.presentations == ()
    assert "too short" in guided_test.state.hint


def test_that_a_cancelled_presentation_is_dropped(guided_test):
    guided_test.start("print")
    offer(guided_test, 10, score=0.2)
    guided_test.cancel()
    assert (guided_test.presentations, guided_test.state.presenting) == ((), "")


def test_that_without_a_model_a_presentation_ends_with_a_hint(guided_test):
    guided_test.start("print")
    offer(guided_test, 1, verdict=Verdict.NO_MODEL)
    assert (guided_test.is_presenting, guided_test.presentations) == (False, ())
    assert "enrol" in guided_test.state.hint


def test_that_a_new_threshold_begins_the_presentation_again(guided_test):
    guided_test.start("print")
    offer(guided_test, 20, score=0.2)
    offer(guided_test, score=0.2, threshold=0.1)
    assert (last(guided_test).threshold, last(guided_test).verdict) == (0.1, Verdict.GENUINE)
    assert len(last(guided_test).frames) == FRAMES_WANTED


def test_that_a_new_model_begins_the_presentation_again(guided_test):
    guided_test.start("print")
    offer(guided_test, 20, score=0.9)
    guided_test.use_model("digest-2")
    offer(guided_test, score=0.2)
    assert (last(guided_test).digest, len(last(guided_test).frames)) == ("digest-2", FRAMES_WANTED)


def test_that_the_mean_over_the_scored_frames_decides(guided_test):
    for scores, verdict in (
        ([0.9] * 5, Verdict.GENUINE),
        ([0.1] * 5, Verdict.ATTACK),
        ([0.4, 0.4, 0.4, 0.4, 0.9], Verdict.GENUINE),
        ([0.6, 0.6, 0.6, 0.6, 0.0], Verdict.ATTACK),
        ([None] * 9 + [0.9] * 4, Verdict.NO_FACE),
    ):
        present(guided_test, "print", scores)
        assert last(guided_test).verdict is verdict, scores


def test_that_the_verdict_of_most_refused_frames_counts_where_their_light_is_unknown(guided_test):
    guided_test.start(BONA_FIDE)
    offer(guided_test, 20, score=0.4, verdict=Verdict.UNFAMILIAR)
    offer(guided_test, 10, score=0.4)
    assert last(guided_test).verdict is Verdict.UNFAMILIAR
    (row,) = guided_test.tally
    assert (row.n, row.n_refused, row.n_no_response, row.errors.value) == (1, 1, 0, 1.0)


def test_that_unfamiliar_frames_do_not_prevent_acceptance(guided_test):
    guided_test.start(BONA_FIDE)
    for _ in range(FRAMES_WANTED // 2):
        offer(guided_test, 1, score=0.4, verdict=Verdict.UNFAMILIAR)
        offer(guided_test, 1, score=0.9)
    assert last(guided_test).verdict is Verdict.GENUINE


def in_light(room, liveness=None, place=0.0):
    familiarity = Familiarity(room, "window", ("the room is darker",), room, place)
    return {"familiarity": familiarity, "liveness": liveness}


def test_that_means_decide_where_light_and_liveness_are_known(guided_test):
    for liveness, expected in (
        (None, Verdict.UNFAMILIAR),
        (0.9, Verdict.UNFAMILIAR),
        (0.1, Verdict.ATTACK),
    ):
        guided_test.start("print")
        for _ in range(FRAMES_WANTED // 3):
            # Most frames are called an attack, but their mean light was not enrolled.
            offer(guided_test, 1, score=0.4, light=in_light(9.0, liveness))
            offer(guided_test, 2, score=0.4, light=in_light(0.0, liveness))
        assert last(guided_test).verdict is expected
        assert last(guided_test).decision.liveness == (liveness and pytest.approx(liveness))
        assert "the room is darker" in last(guided_test).decision.reason


def test_that_light_and_liveness_survive_json(guided_test):
    for room, liveness, verdict in (
        (math.inf, 0.9, Verdict.UNFAMILIAR),
        (2.0, 0.1, Verdict.ATTACK),
        (2.0, None, Verdict.UNFAMILIAR),
        (0.0, 0.9, Verdict.ATTACK),
    ):
        guided_test.start(BONA_FIDE)
        offer(guided_test, score=0.4, light=in_light(room, liveness, place=0.1))
        read = last(through_json(guided_test))
        assert read.verdict is last(guided_test).verdict is verdict
        assert read.decision.liveness == last(guided_test).decision.liveness
    assert "90 %" in through_json(guided_test).presentations[0].decision.reason
    assert through_json(guided_test).as_dict() == guided_test.as_dict()


def test_that_sessions_of_earlier_versions_without_light_keep_their_frames_verdict(guided_test):
    guided_test.start(BONA_FIDE)
    offer(guided_test, score=0.4, verdict=Verdict.UNFAMILIAR, light=in_light(2.0, 0.9))
    document = guided_test.as_dict()
    for name in ("liveness", "room", "place"):
        del document["presentations"][0][name]
    (read,) = GuidedTest.from_dict(document).presentations
    assert (read.verdict, read.decision.liveness) == (Verdict.UNFAMILIAR, None)


def test_that_the_more_frequent_reason_names_a_missing_response(guided_test):
    guided_test.start("print")
    for verdict in (Verdict.NO_FACE, Verdict.POOR_QUALITY):
        offer(guided_test, 3, verdict=verdict)
    offer(guided_test, 1, verdict=Verdict.BAD_FRAME)
    guided_test.finish()
    assert last(guided_test).verdict is Verdict.POOR_QUALITY


def test_that_the_tally_counts_the_errors_of_each_species_with_the_exact_interval(guided_test):
    for scores in ([0.9] * 5, [0.1] * 5, [None] * 5):
        present(guided_test, "print", scores)
    present(guided_test, BONA_FIDE, [0.9] * 5)
    bona_fide, prints = guided_test.tally
    assert (prints.n, prints.n_accepted, prints.n_refused, prints.n_no_response) == (3, 1, 1, 1)
    assert (prints.errors.value, prints.errors.interval) == (0.5, clopper_pearson(1, 2))
    assert (bona_fide.species, bona_fide.errors.value) == (BONA_FIDE, 0.0)


def test_that_the_number_of_a_removed_presentation_is_not_reused(guided_test):
    for _ in range(3):
        present(guided_test, "print", [0.1] * 5)
    guided_test.remove(2)
    guided_test.remove(2)
    present(guided_test, "print", [0.1] * 5)
    assert [kept.number for kept in guided_test.state.presentations] == [1, 3, 4]


def test_that_a_cleared_session_is_like_a_new_one(guided_test):
    present(guided_test, "print", [0.1] * 5)
    guided_test.clear()
    assert guided_test.state == GuidedTest().state


def test_that_names_are_cleaned_and_spelt_like_known_ones(guided_test):
    for typed, kept in (
        ("  My\n\tmask ", "My mask"),
        ("PRINT", "print"),
        ("Bona Fide", BONA_FIDE),
        ("a\u202eb\x00", "ab"),
        ("<script>", "<script>"),
    ):
        guided_test.start(typed)
        assert guided_test.state.presenting == kept
    present(guided_test, "Silicone", [0.1] * 5)
    present(guided_test, "silicone", [0.1] * 5)
    assert [row.species for row in guided_test.tally] == ["Silicone"]


def test_that_an_empty_or_very_long_name_is_refused(guided_test):
    for typed in ("", " \n", "\x00", "x" * 61):
        with pytest.raises(GuidedTestError, match="name"):
            guided_test.start(typed)


def test_that_progress_and_hint_follow_the_frames(guided_test):
    guided_test.start("print")
    offer(guided_test, 15, score=0.2)
    offer(guided_test, 1, verdict=Verdict.NO_FACE)
    assert guided_test.state.progress == pytest.approx(0.5)
    assert "15 of 30" in guided_test.state.hint
    assert "No face" in guided_test.state.hint


def test_that_a_session_survives_json():
    guided_test = session(2, 2)
    present(guided_test, "a <b>", [None] * 6, is_simulated=True)
    guided_test.remove(1)
    copy = through_json(guided_test)
    assert copy.presentations == guided_test.presentations
    assert copy.state.tally == guided_test.state.tally


def broken(**changes):
    document = session(1, 0, species=()).as_dict()
    document["presentations"][0].update(changes)
    return document


SESSION = {"format": "lmkl-pad test session", "version": 1}
ONE_FRAME = {"scores": [0.7], "verdicts": ["genuine"]}


def test_that_a_bad_session_is_refused_in_one_sentence():
    for value in (
        None,
        [],
        {},
        SESSION | {"version": 2},
        SESSION | {"presentations": {}},
        SESSION | {"presentations": [7]},
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
        broken(**ONE_FRAME, liveness=[], room=[0.0], place=[0.0]),
        broken(**ONE_FRAME, liveness=[1.1], room=[0.0], place=[0.0]),
        broken(**ONE_FRAME, liveness=[0.1], room=[-1.0], place=[0.0]),
        broken(**ONE_FRAME, liveness=[0.1], room=[0.0], place=[None]),
        broken(scores=[None], verdicts=["no face"], liveness=[0.1], room=[None], place=[None]),
        broken(room=7),
        broken(verdicts=["\ud800"]),
        broken(**{"\ud800": 1}),
        broken(capture={"\ud800": 1}),
        SESSION | {"presentations": [], "\ud800": 1},
    ):
        with pytest.raises(GuidedTestError, match=r"^(This|Presentation 1 of this) [^\n]*\.$"):
            GuidedTest.from_dict(value)


def test_that_a_repeated_number_is_refused():
    document = session(2, 0, species=()).as_dict()
    document["presentations"][1]["number"] = 1
    with pytest.raises(GuidedTestError, match="Presentation 2"):
        GuidedTest.from_dict(document)
