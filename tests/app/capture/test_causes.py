import pytest

from app.capture.source import Cause, SourceError, advice


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_that_every_cause_has_one_sentence_with_a_way_out(cause, platform):
    sentence = advice(cause, "The camera X", limit="9 pixels", platform=platform)
    assert sentence.startswith("The camera X ")
    assert sentence.count(": ") == 1
    assert sentence.endswith(".")
    assert "{" not in sentence


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("linux", "sudo usermod -aG video"),
        ("darwin", "System Settings"),
        ("win32", "Let desktop apps access your camera"),
    ],
)
def test_that_permission_is_given_where_the_system_has_its_switch(platform, place):
    assert place in advice(Cause.PERMISSION, "The camera X", platform=platform)


def test_that_no_two_causes_give_the_same_advice():
    sentences = {advice(cause, "X", platform="linux") for cause in Cause}
    assert len(sentences) == len(Cause)


def test_that_an_error_carries_its_cause_and_sentence():
    error = SourceError(Cause.BUSY, "The camera X")
    assert error.cause is Cause.BUSY
    assert str(error) == advice(Cause.BUSY, "The camera X")
    assert str(SourceError(Cause.BUSY, message="Own words.")) == "Own words."


def test_that_a_sentence_can_be_printed_whatever_bytes_a_name_holds():
    error = SourceError(Cause.NOT_FOUND, "The video take\udcff.mp4")
    assert str(error).encode().startswith(b"The video take?.mp4 does not exist")
