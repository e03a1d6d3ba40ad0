"""Every Qt test: fresh folders, and nothing left behind."""

import pytest

from app.qt.bootstrap import make_window
from app.settings import Settings
from app.sources.demo import DemoSource
from tests.qt.driving import N_RECORDED, PLAN, Driver
from tests.qt.tidiness import expect_log, nothing_is_left

__all__ = ["expect_log", "nothing_is_left"]


@pytest.fixture(autouse=True)
def fresh_folders(monkeypatch, tmp_path_factory):
    """Give every test settings and data of its own; what networks need is shared."""
    folder = tmp_path_factory.mktemp("person")
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(folder / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(folder / "data"))
    return folder


@pytest.fixture(scope="session")
def demo():
    """Return the demo with few pictures; what one test has recorded the next one finds there."""
    return DemoSource(n_recorded=N_RECORDED)


@pytest.fixture
def launch(qtbot, demo):
    """Return a function that starts the program on the demo and shows its window."""

    def start(make_demo=None, observe=None, plan=PLAN, problems=(), **settings):
        demo.present(None)
        chosen = {"preset": "tiny", "source": "demo"} | settings
        window = make_window(
            Settings(**chosen),
            problems,
            make_demo=make_demo or (lambda: demo),
            plan=plan,
            observe=observe,
        )
        driver = Driver(qtbot, window)
        qtbot.addWidget(window, before_close_func=lambda _: driver.put_away())
        window.show()
        qtbot.waitExposed(window)
        return driver

    return start
