"""Templates of pages: every value in them is escaped, and the pages share one style."""

from functools import lru_cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from app.names import visible


@lru_cache(maxsize=8)
def template(package: str, name: str = "page.html.j2") -> Template:
    """Return a template that lies in a package; it may include those of the report.

    Parameters
    ----------
    package : str
        Dotted name of the package that holds it.
    name : str
        Name of its file.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader("app.reports", ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_fit_for_a_page,
    )
    return environment.get_template(name)


def _fit_for_a_page(value: Any) -> Any:
    """Drop what cannot be seen, and keep a number and its per cent sign on one line."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value).replace(" %", "\u00a0%")
    return value
