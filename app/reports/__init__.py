"""The report of a test session: figures with their uncertainty, charts, one page to hand on.

Loads the numerical libraries and jinja2, so it is imported when a report is asked for.
"""

from app.reports.building import Context, Report, build
from app.reports.writing import ReportError, write

__all__ = ["Context", "Report", "ReportError", "build", "write"]
