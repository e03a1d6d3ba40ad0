"""Verdicts in words, the same in every view."""

from PySide6.QtCore import QCoreApplication

from app.types import Verdict


def verdict_word(verdict: Verdict) -> str:
    """Return what a verdict is called within a sentence."""
    return {
        Verdict.GENUINE: _tr("genuine"),
        Verdict.ATTACK: _tr("attack"),
        Verdict.UNFAMILIAR: _tr("unfamiliar conditions"),
        Verdict.NO_FACE: _tr("no face"),
        Verdict.POOR_QUALITY: _tr("poor quality"),
        Verdict.BAD_FRAME: _tr("bad frame"),
        Verdict.LOOKING: _tr("looking"),
        Verdict.NO_MODEL: _tr("no model"),
    }[verdict]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Verdict", text)
