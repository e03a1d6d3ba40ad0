"""Fixtures of the guided test's tests."""

import pytest


@pytest.fixture(autouse=True)
def own_data(monkeypatch, tmp_path):
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
