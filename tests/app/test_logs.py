"""What is logged of errors: their kind and their way, never what they say."""

import re

from app.logs import trace_of

SECRET = "/home/anna/frames/0001.png"


def broken(depth=0):
    if depth:
        return broken(depth - 1)
    raise ValueError(f"{SECRET} cannot be read")


def error_of(call):
    try:
        call()
    except Exception as error:
        return error


def test_that_an_error_is_told_by_kind_and_place_alone():
    told = trace_of(error_of(broken))
    assert re.fullmatch(
        r"ValueError \(tests\.app\.test_logs:\d+ > tests\.app\.test_logs:\d+\)", told
    )
    assert SECRET not in told


def test_that_errors_behind_an_error_are_told_by_kind_too():
    def wrapped():
        try:
            broken()
        except ValueError as error:
            raise KeyError(SECRET) from error

    def hidden():
        try:
            broken()
        except ValueError:
            raise KeyError(SECRET) from None

    def met():
        try:
            broken()
        finally:
            raise OSError(2, "gone", SECRET)

    assert re.match(r"KeyError \(.*\), from ValueError \(", trace_of(error_of(wrapped)))
    assert re.match(r"FileNotFoundError \(.*\), from ValueError \(", trace_of(error_of(met)))
    assert "ValueError" not in trace_of(error_of(hidden))
    for call in (wrapped, hidden, met):
        assert SECRET not in trace_of(error_of(call))


def test_that_deep_recursions_and_circles_are_told_in_short():
    told = trace_of(error_of(lambda: broken(100)))
    assert told.count("test_logs") == 16
    error = error_of(broken)
    other = KeyError()
    error.__cause__, other.__cause__ = other, error
    assert trace_of(error).count("from") == 1
