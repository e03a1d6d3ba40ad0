"""Graphs as a one-folder build ships them."""

import pytest

from bundling.exports import export_all


@pytest.fixture(scope="session")
def shipped_tiny(tmp_path_factory):
    """Return a folder with the exported networks of the preset tiny."""
    folder = tmp_path_factory.mktemp("shipped")
    export_all(folder, ["tiny"])
    return folder
