"""Rows of a table: the methods asked for, on the views that each of them uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lmkl_core.baselines import METHODS, Method, views_for
from lmkl_core.errors import InvalidInputError


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    method : Method
        What is fitted.
    key, title : str
        How the line is called in files, and in tables.
    view : str or None
        The view it is about, for methods on single views.
    names : tuple of str
        The views it is given; empty when the preset has none for it.
    """

    method: Method
    key: str
    title: str
    view: str | None
    names: tuple[str, ...]

    def make(self, seed: int, parameters: Mapping[str, Any] | None = None) -> Any:
        """Return an estimator that is not fitted yet."""
        return self.method.make(view=self.view, random_state=seed, **(parameters or {}))


def chosen_methods(names: Sequence[str]) -> tuple[Method, ...]:
    """Return the named methods in the order of the paper's tables; all of them for no name.

    Raises
    ------
    InvalidInputError
        For a name that there is not.
    """
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InvalidInputError(
            f"There is no method {unknown[0]!r}: take some of {', '.join(METHODS)}."
        )
    return tuple(method for name, method in METHODS.items() if not names or name in names)


def rows(methods: Sequence[Method], names: Sequence[str]) -> tuple[Row, ...]:
    """Return the lines of a table.

    Parameters
    ----------
    methods : sequence of Method
        In their order.
    names : sequence of str
        Names of all views there are.
    """
    lines: list[Row] = []
    for method in methods:
        used = tuple(views_for(method, names))
        if method.uses == "single":
            lines += [
                Row(method, f"{method.name}:{view}", method.title_for(view), view, (view,))
                for view in used
            ]
        else:
            lines.append(Row(method, method.name, method.title, None, used))
    return tuple(lines)
