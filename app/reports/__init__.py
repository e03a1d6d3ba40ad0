"""Reports of guided tests, evaluations and comparisons: HTML, JSON, CSV and LaTeX.

Loads the numerical libraries and jinja2, so it is imported when a report is asked for.
"""

from app.reports.guided_test import Context, Report, build
from app.reports.writing import ReportError, write

__all__ = ["Context", "Report", "ReportError", "build", "write"]
