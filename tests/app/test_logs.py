"""Errors in logs: their type and place, never their message."""

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


def test_that_an_error_is_logged_by_type_and_place_only():
    trace = trace_of(error_of(broken))
    place = r"tests\.app\.test_logs:\d+"
    assert re.fullmatch(rf"ValueError \({place} > {place}\)", trace)


def test_that_the_causes_of_an_error_are_logged_by_type_too():
    def caused():
        try:
            broken()
        except ValueError as error:
            raise KeyError(SECRET) from error

    def hidden():
        try:
            broken()
        except ValueError:
            raise KeyError(SECRET) from None

    def in_context():
        try:
            broken()
        finally:
            raise OSError(2, "gone", SECRET)

    for call, expected in (
        (caused, r"KeyError \(.*\), from ValueError \(.*\)"),
        (in_context, r"FileNotFoundError \(.*\), from ValueError \(.*\)"),
        (hidden, r"KeyError \([^()]*\)"),
    ):
        trace = trace_of(error_of(call))
        assert re.fullmatch(expected, trace), trace
        assert SECRET not in trace


def test_that_deep_recursions_and_circular_causes_are_cut_short():
    assert trace_of(error_of(lambda: broken(100))).count("test_logs") == 16
    error = error_of(broken)
    other = KeyError()
    error.__cause__, other.__cause__ = other, error
    assert trace_of(error).count("from") == 1
