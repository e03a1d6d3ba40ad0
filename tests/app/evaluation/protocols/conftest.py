"""Complete databases, made once; no test may change them."""

import shutil
from functools import cache

import pytest

from app.evaluation.protocols.registry import DATABASES
from tests.app.evaluation.protocols import trees

MADE = {
    "replay-attack": trees.replay_attack,
    "replay-mobile": trees.replay_mobile,
    "oulu-npu": trees.oulu_npu,
    "msu-mfsd": trees.msu_mfsd,
    "casia-fasd": trees.casia_fasd,
    "nuaa": trees.nuaa,
    "caltech-256": trees.caltech_256,
    "abnormal-objects": trees.abnormal_objects,
}


@pytest.fixture(scope="session")
def database_root(tmp_path_factory):
    """Return the root of a complete database by its name; None for the demo."""
    roots = {"demo": None}

    def root_of(name):
        if name not in roots:
            roots[name] = MADE[name](tmp_path_factory.mktemp(name))
        return roots[name]

    return root_of


@pytest.fixture(scope="session")
def whole(database_root):
    """Return the layout of a complete database, read once."""

    @cache
    def read(name, protocol, mode):
        return DATABASES[name].read(database_root(name), protocol, mode)

    def layout(name, protocol="", mode=""):
        database = DATABASES[name]
        return read(name, protocol or database.protocols[0], mode or database.modes[0])

    return layout


@pytest.fixture
def with_own_lists(database_root, tmp_path):
    """Return a database with the shared recordings and its own lists, which may be changed."""

    def root_of(name, lists):
        for part in database_root(name).iterdir():
            if part.name == lists:
                shutil.copytree(part, tmp_path / lists)
            else:
                (tmp_path / part.name).symlink_to(part)
        return tmp_path

    return root_of
