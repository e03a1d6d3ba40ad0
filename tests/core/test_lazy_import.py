"""The public names of the library, which are imported on first use."""

import lmkl_core


def test_that_every_public_name_is_found_and_listed():
    for name in lmkl_core.__all__:
        assert getattr(lmkl_core, name).__name__ == name
        assert name in dir(lmkl_core)
    assert not hasattr(lmkl_core, "nothing")
