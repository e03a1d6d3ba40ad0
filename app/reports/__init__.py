"""Reports of guided tests, evaluations and comparisons: HTML, JSON, CSV and LaTeX.

It loads the numerical libraries and jinja2, so import it only when a report is needed.
"""

from app.reports.guided_test import Context, Report, build
from app.reports.writing import ReportError, write

__all__ = ["Context", "Report", "ReportError", "build", "write"]
