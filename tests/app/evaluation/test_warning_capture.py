import threading
import warnings

import pytest

from app.evaluation.parallel import captured_warnings


def test_that_warnings_are_collected_and_not_shown():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with captured_warnings() as heard:
            warnings.warn("One.", UserWarning, stacklevel=1)
            warnings.warn("One.", UserWarning, stacklevel=1)
        assert heard == ["One.", "One."]
        with pytest.raises(UserWarning, match="Two"):
            warnings.warn("Two.", UserWarning, stacklevel=1)


def test_that_an_error_leaves_the_filters_as_they_were():
    before, shown = list(warnings.filters), warnings.showwarning
    with pytest.raises(ValueError, match="no"), captured_warnings():
        raise ValueError("no")
    assert list(warnings.filters) == before
    assert warnings.showwarning is shown


def test_that_threads_that_overlap_hear_their_own_warnings_alone():
    before, shown = list(warnings.filters), warnings.showwarning
    meet = threading.Barrier(2, timeout=10)
    heard = {}

    def warn(name, last):
        with captured_warnings() as own:
            meet.wait()
            warnings.warn(name, UserWarning, stacklevel=1)
            meet.wait()
            if last:
                meet.wait()
                warnings.warn(f"{name} again", UserWarning, stacklevel=1)
        if not last:
            meet.wait()
        heard[name] = own

    threads = [threading.Thread(target=warn, args=(n, n == "two")) for n in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {"one": ["one"], "two": ["two", "two again"]}
    assert list(warnings.filters) == before
    assert warnings.showwarning is shown
