"""The liveness networks: fetched, imported, cancelled, refused and used without a restart."""

import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QFileDialog

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
from tests.features.minifasnet_weights import FILES, NAMES, random_weights_finder, small_widths
from tests.qt.driving import recorded, texts_of
from tests.qt.model_values import decision


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return files of small networks, to be imported."""
    find = random_weights_finder(tmp_path_factory.mktemp("files"), small_widths)
    return {name: find(name) for name in NAMES}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of the weights, which does not exist yet."""
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path / "weights"))
    return tmp_path / "weights"


@pytest.fixture
def servers(files, folder, monkeypatch):
    """Put these files into the catalogue, each on its own server."""
    with ExitStack() as stack:
        running, entries = {}, []
        for name, made in files.items():
            content = made.path.read_bytes()
            server = running[name] = stack.enter_context(serving(content))
            entry = replace(catalogue.entry_of(name), sha256=made.sha256, size=len(content))
            entries.append(replace(entry, url=server.url))
        others = [entry for entry in catalogue.CATALOGUE if entry.name not in NAMES]
        monkeypatch.setattr(catalogue, "CATALOGUE", (*others, *entries))
        yield running


class Bench:
    """The controller with both workers on this thread."""

    def __init__(self):
        self.session = Session(Settings())
        self.workers = JobWorker(), ScoringWorker(LatestFrame())
        self.controller = NetworksController(self.session, *self.workers)
        self.notices = recorded(self.controller.notice)
        self.states = recorded(self.controller.changed)
        self.card_requests = recorded(self.controller.card_requested)
        self.uses = recorded(self.controller.use_requested)
        self.controller.check()

    @property
    def state(self):
        return self.controller.state


@pytest.fixture
def bench(qapp, servers):
    return Bench()


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_that_missing_and_damaged_files_are_fetched_with_progress_and_used(bench, servers, folder):
    folder.mkdir()
    (folder / FILES[NAMES[0]]).write_bytes(b"half")
    bench.controller.check()
    assert [entry.file_name for entry in bench.state.missing] == [FILES[name] for name in NAMES]
    size = bench.state.size
    assert size == sum(len(server.content) for server in servers.values())
    assert (bench.state.licence, bench.state.folder) == ("Apache-2.0", str(folder))
    bench.controller.get()
    assert files_in(folder) == sorted(FILES.values())
    assert (bench.state.missing, bench.state.problem, len(bench.uses)) == ((), "", 1)
    done = [state.working.done for state in bench.states if state.working.text]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, size)
    assert not bench.state.working.text
    n_requests = [len(server.requests) for server in servers.values()]
    bench.controller.get()  # finds them in the folder
    assert len(bench.uses) == 2
    assert [len(server.requests) for server in servers.values()] == n_requests


def test_that_without_internet_the_card_names_each_file_with_address_and_checksum(
    bench, servers, files, folder, qtbot
):
    for server in servers.values():
        server.otherwise = Answer(status=404)
    bench.controller.get()
    assert "404 Not Found" in bench.state.problem
    assert bench.state.is_by_hand
    card = NetworksCard()
    qtbot.addWidget(card)
    card.show_networks(bench.state)
    assert str(folder) in "\n".join(texts_of(card))
    for name, server in servers.items():
        for text in (FILES[name], server.url, files[name].sha256):
            assert text in card.files.toPlainText()
    bench.controller.import_files([str(made.path) for made in files.values()])
    assert (bench.state.missing, len(bench.uses)) == ((), 1)
    assert files_in(folder) == sorted(FILES.values())


@pytest.mark.parametrize(("n_bytes", "queued"), [(0, False), (5000, False), (5000, True)])
def test_that_cancelling_leaves_nothing_half_written(bench, servers, folder, n_bytes, queued, qapp):
    server = servers[NAMES[1]]
    server.otherwise = Answer(send=n_bytes, stall=True)

    def cancel():
        server.sent.wait(60)
        if queued:
            bench.controller.check()
        bench.controller.cancel()
        server.released.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    bench.controller.get()
    thread.join()
    qapp.processEvents()
    assert files_in(folder) == [FILES[NAMES[0]]]  # the complete one
    assert (bench.state.problem, bench.state.working.text, bench.uses) == ("", "", [])
    server.otherwise = Answer()
    bench.controller.get()
    assert len(bench.uses) == 1


def test_that_each_failure_is_one_sentence_and_leaves_no_file(bench, servers, folder, tmp_path):
    server = servers[NAMES[0]]
    server.otherwise = Answer(body=b"x" * len(server.content))
    wrong, other = tmp_path / FILES[NAMES[0]], tmp_path / "other.pth"
    for path in (wrong, other):
        path.write_bytes(b"something else")
    for act, words in (
        (bench.controller.get, "is not the file of the weights"),
        (lambda: bench.controller.import_files([str(wrong)]), "is not the file"),
        (lambda: bench.controller.import_files([str(other)]), "not one of the known weights"),
    ):
        act()
        assert words in bench.state.problem
        assert "\n" not in bench.state.problem
        assert not bench.state.is_by_hand
        assert files_in(folder) == []
    folder.rmdir()
    folder.write_text("in the way")
    bench.controller.get()
    assert bench.state.problem.startswith("The networks could not be downloaded (")
    assert bench.uses == []


def unfamiliar(session):
    """Set the verdict of the session."""
    session._decider.decision = decision(Verdict.UNFAMILIAR)
    session._notify(Topic.DECISION)


def test_that_missing_networks_are_offered_once_where_they_would_have_helped(bench):
    missing, bench.controller.state = bench.controller.state, NetworksState()
    unfamiliar(bench.session)
    assert bench.notices == []  # nothing is missing
    bench.controller.state = missing
    unfamiliar(bench.session)
    unfamiliar(bench.session)
    (notice,) = bench.notices
    assert notice.topic == NetworksController.topic
    assert [choice.key for choice in notice.actions] == [SHOW]
    bench.controller.choose("another topic", SHOW)
    assert not bench.card_requests
    bench.controller.choose(NetworksController.topic, SHOW)
    assert bench.card_requests


def test_that_the_card_shows_the_size_and_then_the_progress(qtbot):
    missing = NetworksState(missing=(replace(catalogue.entry_of(NAMES[0]), size=3_700_000),))
    card = NetworksCard()
    qtbot.addWidget(card)

    def hidden():
        return [each.isHidden() for each in (card.get, card.choose, card.bar, card.cancel)]

    card.show_networks(missing)
    assert not card.isHidden()
    assert "3.7 MB to download, licence Apache-2.0" in "\n".join(texts_of(card))
    assert hidden() == [False, False, True, True]
    assert card.files.isHidden()
    card.show_networks(replace(missing, working=Working("Fetching", 1_800_000, 3_700_000)))
    assert "Fetching: 1.8 of 3.7 MB" in "\n".join(texts_of(card))
    assert (card.bar.value(), card.bar.maximum()) == (1_800_000, 3_700_000)
    assert hidden() == [True, True, False, False]
    card.show_networks(NetworksState())
    assert card.isHidden()


def test_that_damaged_networks_do_no_harm_and_offered_ones_are_used_without_a_restart(
    launch, servers, files, folder, exported, monkeypatch
):
    folder.mkdir()
    for name in FILES.values():
        (folder / name).write_bytes(b"half")
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.until_notice("is not the file of the weights")
    driver.until(lambda: driver.session.scored is not None and driver.session.scored.score)
    networks, card = driver.controller.networks, driver.pages.model.networks
    driver.until(lambda: len(networks.state.missing) == 2)
    unfamiliar(driver.session)
    driver.click(driver.button("Show them"))
    driver.until(card.isVisible)
    first = str(files[NAMES[0]].path)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([first], ""))
    driver.click(card.choose)
    driver.until(lambda: len(networks.state.missing) == 1 and not networks.state.working.text)
    assert driver.session.scored.liveness is None
    driver.click(card.get)
    driver.until_notice("liveness networks are in use")
    assert not card.isVisible()
    driver.until(lambda: driver.session.scored.liveness is not None)
    driver.turn_to("Why")
    driver.until(lambda: any("looks live" in text for text in texts_of(driver.pages.why.score)))
