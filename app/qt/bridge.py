"""The one crossing from the session to Qt: topics become signals with values."""

from PySide6.QtCore import QObject, Signal

from app.session.session import Session, Topic


class SessionSignals(QObject):
    """Signals of a session, each with the value that views show.

    Parameters
    ----------
    session : Session
        Told of by these signals, on the thread that changes it: the main one.
    """

    scored = Signal(object)
    decision = Signal(object)
    enrolment = Signal(object)
    model = Signal(object)
    trial = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        session.subscribe(self._tell)

    def _tell(self, topic: Topic) -> None:
        session = self._session
        if topic is Topic.SCORED:
            self.scored.emit(session.scored)
        elif topic is Topic.DECISION:
            self.decision.emit(session.decision)
        elif topic is Topic.ENROLMENT:
            self.enrolment.emit(session.enrolment_shown)
        elif topic is Topic.MODEL:
            self.model.emit(session.model_shown)
        else:
            self.trial.emit(session.trial_shown)
