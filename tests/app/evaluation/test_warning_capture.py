import contextlib
import threading
import warnings

import pytest

from app.evaluation.parallel import captured_warnings


def test_that_warnings_are_collected_instead_of_shown():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.suppress(ValueError), captured_warnings() as captured:
            warnings.warn("One.", UserWarning, stacklevel=1)
            warnings.warn("One.", UserWarning, stacklevel=1)
            raise ValueError
        assert captured == ["One.", "One."]
        # The filters are restored, even after an error.
        with pytest.raises(UserWarning, match="Two"):
            warnings.warn("Two.", UserWarning, stacklevel=1)


def test_that_overlapping_threads_collect_only_their_own_warnings():
    filters, handler = list(warnings.filters), warnings.showwarning
    meet = threading.Barrier(2, timeout=10)
    captured = {}

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
        captured[name] = own

    threads = [threading.Thread(target=warn, args=(n, n == "two")) for n in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert captured == {"one": ["one"], "two": ["two", "two again"]}
    assert list(warnings.filters) == filters
    assert warnings.showwarning is handler
