"""The liveness networks: fetched, imported, cancelled, refused, and used without a restart."""

import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QFileDialog, QLabel

from app.capture.capture import LatestFrame
from app.qt.controllers.networks import SHOW, NetworksController
from app.qt.pages.model.cards import NetworksCard
from app.qt.state import NetworksState, Working
from app.qt.workers.scoring import ScoringWorker
from app.qt.workers.worker import JobWorker
from app.session.session import Session, Topic
from app.settings import Settings
from app.types import Verdict
from lmkl_core.features.weights import catalogue
from tests.features.file_server import Answer, serving
from tests.features.minifasnet_material import FILES, NAMES, made_weights, small_widths
from tests.qt.model_values import decision


def words(card):
    return "\n".join(label.text() for label in card.findChildren(QLabel))


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    """Return files of small networks, as somebody would bring them."""
    find = made_weights(tmp_path_factory.mktemp("brought"), small_widths)
    return {name: find(name) for name in NAMES}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder for weights in which nothing is."""
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path / "weights"))
    return tmp_path / "weights"


@pytest.fixture
def servers(brought, folder, monkeypatch):
    """Let the catalogue name these files, each on a server of its own."""
    with ExitStack() as stack:
        running, entries = {}, []
        for name, made in brought.items():
            content = made.path.read_bytes()
            server = running[name] = stack.enter_context(serving(content))
            entry = replace(catalogue.entry_of(name), sha256=made.sha256, size=len(content))
            entries.append(replace(entry, url=server.url))
        others = [entry for entry in catalogue.CATALOGUE if entry.name not in NAMES]
        monkeypatch.setattr(catalogue, "CATALOGUE", (*others, *entries))
        yield running


class Bench:
    """The control with both workers on this thread, and what they say."""

    def __init__(self):
        self.session = Session(Settings())
        self.worker, self.scoring = JobWorker(), ScoringWorker(LatestFrame())
        self.control = NetworksController(self.session, self.worker, self.scoring)
        self.told, self.states, self.opened, self.used = [], [], [], []
        self.control.notice.connect(self.told.append)
        self.control.changed.connect(self.states.append)
        self.control.card_requested.connect(lambda: self.opened.append(True))
        self.control.use_requested.connect(lambda: self.used.append(True))
        self.control.check()

    @property
    def shown(self):
        return self.control.state


@pytest.fixture
def bench(qapp, servers):
    return Bench()


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_that_what_is_missing_or_damaged_is_known_fetched_with_progress_and_used(
    bench, servers, folder
):
    folder.mkdir()
    (folder / FILES[NAMES[0]]).write_bytes(b"half")
    bench.control.check()
    assert [one.file_name for one in bench.shown.missing] == [FILES[name] for name in NAMES]
    size = bench.shown.size
    assert size == sum(len(server.content) for server in servers.values())
    assert (bench.shown.licence, bench.shown.folder) == ("Apache-2.0", str(folder))
    bench.control.get()
    assert files_in(folder) == sorted(FILES.values())
    assert (bench.shown.missing, bench.shown.problem, bench.used) == ((), "", [True])
    done = [one.working.done for one in bench.states if one.working.text]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, size)
    assert not bench.shown.working.text
    n_requests = [len(server.requests) for server in servers.values()]
    bench.control.get()  # finds them in the folder
    assert bench.used == [True, True]
    assert [len(server.requests) for server in servers.values()] == n_requests


def test_that_without_internet_each_file_is_named_with_address_and_checksum(
    bench, servers, brought, folder, qtbot
):
    for server in servers.values():
        server.otherwise = Answer(status=404)
    bench.control.get()
    assert bench.shown.problem == (
        "The networks could not be fetched: the server answered 404 Not Found."
    )
    card = NetworksCard()
    qtbot.addWidget(card)
    card.show_networks(bench.shown)
    assert str(folder) in words(card)
    for name, server in servers.items():
        for told in (FILES[name], server.url, brought[name].sha256):
            assert told in card.files.toPlainText()
    bench.control.import_files([str(made.path) for made in brought.values()])
    assert (bench.shown.missing, bench.used) == ((), [True])
    assert files_in(folder) == sorted(FILES.values())


@pytest.mark.parametrize(("n_bytes", "queued"), [(0, False), (5000, False), (5000, True)])
def test_that_cancelling_leaves_nothing_half_written(bench, servers, folder, n_bytes, queued, qapp):
    server = servers[NAMES[1]]
    server.otherwise = Answer(send=n_bytes, stall=True)

    def cancel():
        server.sent.wait(20)
        if queued:
            bench.control.check()
        bench.control.cancel()
        server.released.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    bench.control.get()
    thread.join()
    qapp.processEvents()
    assert files_in(folder) == [FILES[NAMES[0]]]  # the one that was complete
    assert (bench.shown.problem, bench.shown.working.text, bench.used) == ("", "", [])
    server.otherwise = Answer()
    bench.control.get()
    assert bench.used == [True]


def test_that_whatever_goes_wrong_is_one_sentence_and_leaves_nothing(
    bench, servers, folder, tmp_path
):
    server = servers[NAMES[0]]
    server.otherwise = Answer(body=b"x" * len(server.content))
    wrong, other = tmp_path / FILES[NAMES[0]], tmp_path / "other.pth"
    for path in (wrong, other):
        path.write_bytes(b"something else")
    for act, told in (
        (bench.control.get, "is not the file of the weights"),
        (lambda: bench.control.import_files([str(wrong)]), "is not the file"),
        (lambda: bench.control.import_files([str(other)]), "not one of the known weights"),
    ):
        act()
        assert told in bench.shown.problem
        assert "\n" not in bench.shown.problem
        assert not bench.shown.is_by_hand
        assert files_in(folder) == []
    folder.rmdir()
    folder.write_text("in the way")
    bench.control.get()
    assert bench.shown.problem.startswith("The networks could not be fetched (")
    assert bench.used == []


def unfamiliar(session):
    """Let the session come to that verdict."""
    session._decider.decision = decision(Verdict.UNFAMILIAR)
    session._tell(Topic.DECISION)


def test_that_they_are_offered_once_where_they_would_have_helped(bench):
    missing, bench.control.state = bench.control.state, NetworksState()
    unfamiliar(bench.session)
    assert bench.told == []  # nothing is missing
    bench.control.state = missing
    unfamiliar(bench.session)
    unfamiliar(bench.session)
    (notice,) = bench.told
    assert (notice.topic, [choice.key for choice in notice.actions]) == (
        NetworksController.topic,
        [SHOW],
    )
    bench.control.choose("another topic", SHOW)
    assert not bench.opened
    bench.control.choose(NetworksController.topic, SHOW)
    assert bench.opened


MISSING = NetworksState(missing=(replace(catalogue.entry_of(NAMES[0]), size=3_700_000),))


def test_that_the_card_says_what_it_costs_and_then_how_far_it_is(qtbot):
    card = NetworksCard()
    qtbot.addWidget(card)

    def hidden():
        return [each.isHidden() for each in (card.get, card.choose, card.bar, card.cancel)]

    card.show_networks(MISSING)
    assert not card.isHidden()
    assert "3.7 MB to download, licence Apache-2.0" in words(card)
    assert hidden() == [False, False, True, True]
    assert card.files.isHidden()
    card.show_networks(replace(MISSING, working=Working("Fetching", 1_800_000, 3_700_000)))
    assert "Fetching: 1.8 of 3.7 MB" in words(card)
    assert (card.bar.value(), card.bar.maximum()) == (1_800_000, 3_700_000)
    assert hidden() == [True, True, False, False]
    card.show_networks(NetworksState())
    assert card.isHidden()


def test_that_damaged_files_disturb_no_judging_and_good_ones_are_used_without_a_restart(
    launch, servers, folder, exported
):
    folder.mkdir()
    for name in FILES.values():
        (folder / name).write_bytes(b"half")
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.until_told("is not the file of the weights")
    driver.until(lambda: driver.session.scored is not None and driver.session.scored.score)
    driver.turn_to("Model")
    card = driver.pages.model.networks
    driver.until(card.isVisible)
    assert driver.session.scored.liveness is None
    driver.click(card.get)
    driver.until_told("liveness networks are in use")
    assert not card.isVisible()
    driver.until(lambda: driver.session.scored.liveness is not None)
    driver.turn_to("Why")
    labels = driver.pages.why.score.findChildren(QLabel)
    driver.until(lambda: any("looks live" in label.text() for label in labels))


def test_that_the_offer_leads_to_the_card_and_files_are_chosen_by_hand(
    launch, servers, brought, monkeypatch
):
    driver = launch().until_prepared()
    driver.until(lambda: driver.controller.networks.state.missing)
    unfamiliar(driver.session)
    driver.until_told("Two small networks")
    driver.click(driver.button("Show them"))
    driver.until(lambda: driver.window.tabs.currentWidget() is driver.window.pages.model)
    card = driver.pages.model.networks
    driver.until(card.isVisible)
    chosen = [str(made.path) for made in brought.values()]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (chosen, ""))
    driver.click(card.choose)
    driver.until_told("liveness networks are in use")
    assert not card.isVisible()
