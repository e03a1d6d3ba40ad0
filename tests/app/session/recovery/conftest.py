"""Every test of recovery: a fresh folder for the person's data."""

import pytest


@pytest.fixture(autouse=True)
def own_data(monkeypatch, tmp_path):
    """Return a folder of its own for the person's data."""
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def journal():
    """Return a journal that lets go of its folder at the end."""
    from app.session.recovery.journal import Journal

    one = Journal()
    yield one
    one.close()
