"""What must hold of a layout before anything is measured on it, and what it holds."""

from collections.abc import Iterator

from app.evaluation.extracting import Library
from app.evaluation.protocols.types import Fold, Layout, Plan, ProtocolError, Recording
from app.evaluation.task import LEAST_FRAMES

PARTS = ("train", "development", "test")


def plans_of(layout: Layout) -> Iterator[Plan]:
    """Yield the plans of all folds."""
    for fold in layout.folds:
        yield from fold.plans


def recordings_of(layout: Layout) -> list[Recording]:
    """Return every recording once, in the order in which they are needed."""
    found: dict[str, Recording] = {}
    for plan in plans_of(layout):
        for recording in (*plan.train, *plan.development, *plan.test):
            found.setdefault(recording.name, recording)
    return list(found.values())


def check(layout: Layout) -> None:
    """Refuse a layout on which figures would mean nothing.

    Raises
    ------
    ProtocolError
        If a model would be tested on what it has learnt from, or on what its parameters and
        threshold were chosen by; if it would learn from attacks; or if there is nothing to learn
        from or to be tested on.
    """
    if not any(True for _ in plans_of(layout)):
        raise ProtocolError(f"{layout.title} was laid out without anything to measure.")
    if len({fold.name for fold in layout.folds}) < len(layout.folds):
        raise ProtocolError(f"Folds of {layout.title} share a name: name each its own.")
    for fold in layout.folds:
        names = [plan.name for plan in fold.plans]
        if len(set(names)) < len(names):
            raise ProtocolError(f"Plans of {_place(fold.name)} share a name: name each its own.")
        for plan in fold.plans:
            _check(plan, _place(fold.name, plan.name))


def _check(plan: Plan, place: str) -> None:
    if not plan.train or not plan.test:
        missing = "learn from" if not plan.train else "test on"
        raise ProtocolError(f"There is nothing to {missing} in {place}: add recordings.")
    names = {part: {each.name for each in getattr(plan, part)} for part in PARTS}
    for part in ("train", "development"):
        if shared := sorted(names[part] & names["test"]):
            raise ProtocolError(
                f"{shared[0]} is in {part} and in test of {place}: a recording belongs to one."
            )
    if shared := sorted(names["train"] & names["development"]):
        raise ProtocolError(
            f"{shared[0]} is in train and in development of {place}: a recording belongs to one."
        )
    for recording in plan.train:
        if recording.is_attack:
            raise ProtocolError(
                f"{recording.name} is an attack in train of {place}: models learn from bona fide "
                "recordings alone."
            )


def _place(fold: str, plan: str = "") -> str:
    place = f"fold {fold}" if fold else "the only fold"
    return f"{place}, {plan}" if plan else place


def copies(layout: Layout, library: Library) -> list[str]:
    """Return a sentence about test recordings whose content a model knows already, if any."""
    found: dict[str, None] = {}
    for plan in plans_of(layout):
        learnt = {library.seen[each.name].key for each in (*plan.train, *plan.development)}
        for recording in plan.test:
            key = library.seen[recording.name].key
            if key and key in learnt:
                found[recording.name] = None
    if not found:
        return []
    return [
        f"{_counted(len(found), 'test recording is a copy', 'test recordings are copies')} of a "
        f"training or development recording, such as {next(iter(found))}: figures are too good."
    ]


def is_left_out(plan: Plan, fold: Fold, library: Library) -> bool:
    """Whether a person cannot be enrolled while others of the fold can.

    There is no model then to respond to that person's test presentations: they are non-responses.
    Without any other model the fold cannot be measured at all.
    """

    def has_enough(one: Plan) -> bool:
        return library.n_ready(one.train) >= LEAST_FRAMES

    return not has_enough(plan) and any(map(has_enough, fold.plans))


def counts(layout: Layout, library: Library) -> dict[str, int]:
    """Count recordings and frames by split and kind; a recording counts once for each split."""
    total: dict[str, int] = {}
    for part in PARTS:
        # What is genuine to one class may be novel to another.
        once = {
            (each.name, each.is_attack): library.seen[each.name]
            for plan in plans_of(layout)
            for each in getattr(plan, part)
        }
        for kind, is_attack in (("bona fide", False), ("attack", True)):
            seen = [each for (_, attack), each in once.items() if attack == is_attack]
            if not seen:
                continue
            total[f"{part} {kind} recordings"] = len(seen)
            total[f"{part} {kind} frames"] = sum(len(each.ready) for each in seen)
            total[f"{part} {kind} frames with views"] = sum(each.n_ready for each in seen)
    return total


def remarks(library: Library, max_train: int, layout: Layout) -> list[str]:
    """Return what must be said about how recordings became rows."""
    said = []
    unreadable = [name for name, seen in library.seen.items() if seen.problem]
    if unreadable:
        said.append(
            f"{_counted(len(unreadable), 'recording', 'recordings')} could not be read and "
            f"count as without response, such as {unreadable[0]}."
        )
    without = sum(len(seen.ready) - seen.n_ready for seen in library.seen.values())
    if without:
        reasons: dict[str, int] = {}
        for seen in library.seen.values():
            for reason, number in seen.reasons.items():
                reasons[reason] = reasons.get(reason, 0) + number
        most = max(reasons, key=lambda reason: reasons[reason])
        total = sum(len(seen.ready) for seen in library.seen.values())
        said.append(
            f"{without} of {total} frames gave no views and count as without response; the most "
            f"frequent reason ({reasons[most]} frames): {most}"
        )
    names = dict.fromkeys(
        plan.name
        for fold in layout.folds
        for plan in fold.plans
        if is_left_out(plan, fold, library)
    )
    if names:
        listed = ", ".join(list(names)[:4])
        listed += f" and {len(names) - 4} more" if len(names) > 4 else ""
        said.append(
            f"{listed} could not be enrolled, for want of training frames with a usable face: test "
            "presentations meant for these models count as without response."
        )
    largest = max(library.n_ready(plan.train) for plan in plans_of(layout))
    if largest > max_train:
        said.append(
            f"Training frames were thinned out evenly to {max_train} a model, from up to {largest}."
        )
    return said


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
