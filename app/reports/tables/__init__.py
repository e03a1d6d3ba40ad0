"""Tables of an evaluation: measured beside published, as a page, JSON, CSV and LaTeX.

Loads the numerical libraries and jinja2, so it is imported when a table is asked for.
"""

from app.reports.tables.building import Row, Table, build
from app.reports.tables.comparing import Comparison, compare
from app.reports.tables.writing import TableError, write, write_comparison

__all__ = [
    "Comparison",
    "Row",
    "Table",
    "TableError",
    "build",
    "compare",
    "write",
    "write_comparison",
]
