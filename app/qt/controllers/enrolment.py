"""Record, rename and remove takes; the demo presents the matching scene."""

from PySide6.QtCore import QObject, Signal, Slot

from app.demo.script import Chapter, light_of
from app.qt.controllers import Controller
from app.qt.controllers.source import SourceController
from app.session.session import Session, Topic
from app.session.takes import Offer
from app.types import Decision


class EnrolController(Controller):
    """Carries out the actions of the enrol page."""

    topic = "enrolment"
    take_complete = Signal(str)
    """Name of a complete quick take, to be added to the model at once."""

    def __init__(
        self, session: Session, source: SourceController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._source = session, source
        self._chapter: Chapter | None = None
        self._is_quick = False
        self._recording = ""
        self._change = session.change_enrolment
        session.subscribe(self._on_change)

    @Slot(str)
    def start(self, name: str) -> None:
        """Record a take."""
        if self._can_start():
            name = name.strip() or self._session.enrolment.suggested_name
            self._start(name, light_of(name, self._n_takes), is_quick=False)

    @Slot(object)
    def start_quick(self, decision: Decision) -> None:
        """Record the present conditions and add them to the model at once."""
        demo = self._source.demo
        if not self._can_start() or self._session.model is None:
            return
        if demo is not None and not demo.chapter.is_genuine:
            text = "The demo presents an attack: wait for the genuine person before you enrol."
            self.tell(text, "warning")
            return
        light = "" if demo is None else demo.chapter.take.condition
        name = ", ".join(decision.differences[:1]) or "new conditions"
        self._start(name, light, is_quick=True)

    @Slot()
    def stop(self) -> None:
        """End the take; its frames stay."""
        self._change(lambda enrolment: enrolment.stop())

    @Slot(object)
    def remove_samples(self, numbers: list[int]) -> None:
        self._change(lambda enrolment: enrolment.remove_samples(numbers))

    @Slot(str)
    def remove_take(self, name: str) -> None:
        self._change(lambda enrolment: enrolment.remove_take(name))

    @Slot(str, str)
    def rename_take(self, name: str, new: str) -> None:
        self._change(lambda enrolment: enrolment.rename_take(name, new))

    @Slot(str)
    def set_person(self, person: str) -> None:
        """Set the person in the next take."""
        self._change(lambda enrolment: enrolment.set_person(person))

    @Slot(str, str)
    def assign_take(self, name: str, person: str) -> None:
        """Set the person in a take."""
        self._change(lambda enrolment: enrolment.assign_take(name, person))

    @Slot()
    def undo(self) -> None:
        self._change(lambda enrolment: enrolment.undo())

    @Slot()
    def clear(self) -> None:
        """Remove all takes; the model stays."""
        self._change(lambda enrolment: enrolment.clear())

    @Slot()
    def welcome(self) -> None:
        """Let the demo show only the genuine person until there is a model, then everything."""
        demo = self._source.demo
        if demo is None or self._session.occupied_by:
            return
        greeting = demo.script.loop[0].key
        if self._session.model is None and demo.presenting is None:
            self._source.present(greeting)
        elif self._session.model is not None and demo.presenting == greeting:
            self._source.present("")

    # ------------------------------------------------------------- inner

    def _can_start(self) -> bool:
        """Return whether a take can begin; show why not."""
        occupied, text = self._session.occupied_by, ""
        if occupied:
            text = f"{occupied}: wait until it is complete, or stop it."
        elif not self._source.is_running:
            text = "There is no picture to record: choose a working source."
        if text:
            self.tell(text, "warning")
        return not text

    def _start(self, name: str, light: str, *, is_quick: bool) -> None:
        demo = self._source.demo
        self._chapter = None
        if demo is not None:
            self._chapter = demo.script.enrolment_take(light, self._n_takes)
        self._is_quick = is_quick
        self._change(lambda enrolment: enrolment.start(name, is_quick=is_quick))

    @property
    def _n_takes(self) -> int:
        return len({sample.take for sample in self._session.enrolment.samples})

    def _on_change(self, topic: Topic) -> None:
        """Start and end the demo's scene with the recording."""
        if topic is Topic.MODEL:
            self.welcome()
        if topic is not Topic.ENROLMENT:
            return
        before, self._recording = self._recording, self._session.enrolment.recording
        if self._recording and not before and self._chapter is not None:
            self._source.stage(self._chapter)
            self._session.expect(self._chapter.frame_caption)
        elif before and not self._recording:
            self._session.expect("")
            self._source.unstage()
            if self._is_quick and self._session.last_offer is Offer.FINISHED:
                self.take_complete.emit(before)
            self._is_quick = False
