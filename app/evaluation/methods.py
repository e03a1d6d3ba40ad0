"""Rows of a table: the methods asked for, on the views that each of them uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lmkl_core.baselines import METHODS, Method, views_for
from lmkl_core.errors import InvalidInputError


@dataclass(frozen=True)
class Row:
    """One row of the table: a method, its key in files, its title, and the views it is given.

    ``view`` names the one view of a method on single views. ``names`` is empty when the preset has
    no views for the method.
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
    """Return the named methods in the order of the paper's tables; all of them for no name."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InvalidInputError(
            f"There is no method {unknown[0]!r}: take some of {', '.join(METHODS)}."
        )
    return tuple(method for name, method in METHODS.items() if not names or name in names)


def rows(methods: Sequence[Method], names: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of a table for methods on all views there are."""
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
