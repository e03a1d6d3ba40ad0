"""What the samples of a long run say: what grows, and whether it became slower. Without Qt.

A run is a list of checkpoints, one at the same point of each round, where the program is in the
same state: no takes, the same model open, the demo playing. What differs there was left behind.
"""

import statistics
from dataclasses import dataclass

CONFIDENCE = 0.95

FEWEST = 6
"""Checkpoints after the warm-up, below which nothing is said of growth."""

MEMORY_LIMIT = 16.0
"""MiB an hour that memory may grow by: the lower end of the slope's interval must not exceed it."""

OBJECTS_LIMIT = 1000.0
"""The same for objects that Python's garbage collector tracks."""

SLOWER_LIMIT = 1.25
"""How many times as much processor time a frame may cost in the last quarter as in the first."""

MIB = 2**20


@dataclass(frozen=True)
class Growth:
    """How something changed from checkpoint to checkpoint.

    Attributes
    ----------
    name : str
        What was counted.
    first, last : float
        At the first checkpoint after the warm-up, and at the last.
    slope, low, high : float
        Of a Theil-Sen line an hour, and the ends of its 95 % interval.
    grows : bool or None
        The verdict; None where there were too few checkpoints.
    limit : float
        That the lower end of the interval must not exceed.
    """

    name: str
    first: float
    last: float
    slope: float
    low: float
    high: float
    grows: bool | None
    limit: float = 0.0


def growth(name, hours, values, limit=0.0, *, is_count=False):
    """Fit a robust line and judge it.

    A count grows if the interval of its slope lies above the limit and if it never was as low in
    the last third of the run as it had been in the first: one more thread that a library starts at
    some time is no growth, one more in every tenth round is. Anything else grows if the interval
    lies above the limit.

    Parameters
    ----------
    name : str
        What was counted.
    hours, values : sequence of float
        When, and how much.
    limit : float
        What it may grow by in an hour.
    is_count : bool
        Whether it is exactly the same at every checkpoint if nothing is left behind.
    """
    from scipy.stats import theilslopes  # here: the program that is measured starts without it

    if len(values) < 2:
        only = values[0] if values else float("nan")
        return Growth(name, only, only, 0.0, 0.0, 0.0, None, limit)
    slope, _, low, high = theilslopes(values, hours, CONFIDENCE)
    grows = None
    if len(values) >= FEWEST:
        third = len(values) // 3
        rises = min(values[-third:]) > max(values[:third])
        grows = bool(low > limit and (rises or not is_count))
    return Growth(
        name, values[0], values[-1], float(slope), float(low), float(high), grows, float(limit)
    )


def growths(checkpoints):
    """Return the growth of all that is measured at checkpoints (those after the warm-up)."""
    hours = [one["seconds"] / 3600 for one in checkpoints]
    found = []
    for name, words in MEMORY.items():
        values = [one[name] / MIB for one in checkpoints]
        found.append(growth(f"memory: {words}, MiB", hours, values, MEMORY_LIMIT))
    objects = [one["python_objects"] for one in checkpoints]
    found.append(growth("Python objects", hours, objects, OBJECTS_LIMIT, is_count=True))
    for group in COUNTED:
        names = sorted({name for one in checkpoints for name in one[group]})
        totals = [sum(one[group].values()) for one in checkpoints]
        found.append(growth(f"{COUNTED[group]}, all", hours, totals, is_count=True))
        for name in names:
            values = [one[group].get(name, 0) for one in checkpoints]
            if len(set(values)) > 1:
                of_one = growth(f"{COUNTED[group]}: {name}", hours, values, is_count=True)
                found.append(of_one)
    for name, words in SIZES.items():
        values = [one[name] for one in checkpoints]
        found.append(growth(words, hours, values, is_count=True))
    return found


MEMORY = {"uss": "USS", "rss": "RSS", "heap": "allocated and not freed"}

COUNTED = {
    "os_threads": "threads",
    "python_threads": "Python's threads",
    "qthreads": "QThreads",
    "timers": "timers",
    "qobjects": "Qt objects",
    "windows": "windows",
    "fds": "file descriptors",
    "children": "processes",
    "temporary": "temporary files",
}
"""Groups of a checkpoint in which names are counted, and what they are called."""

SIZES = {"stored_files": "files in the person's folder", "stored_bytes": "bytes in that folder"}


def after(checkpoints, warm_up):
    """Return the checkpoints after the warm-up, in seconds."""
    return [one for one in checkpoints if one["seconds"] >= warm_up]


@dataclass(frozen=True)
class Pace:
    """A figure of the first and of the last quarter of the rounds, as medians.

    Attributes
    ----------
    name : str
        What was measured.
    first, last : float
        The medians.
    is_cost : bool
        Whether more is worse.
    limit : float or None
        Of the ratio, where it is judged.
    """

    name: str
    first: float
    last: float
    is_cost: bool
    limit: float | None = None

    @property
    def ratio(self):
        """End over start."""
        return self.last / self.first if self.first else float("nan")

    @property
    def is_slower(self):
        """The verdict; None where nothing is judged."""
        return None if self.limit is None else self.ratio > self.limit


PACES = (
    # Of a checkpoint's dictionary; the name; whether more is worse; whether it is judged.
    ("cpu_per_scored", "CPU time of the scoring thread a scored frame, ms", True, True),
    ("wall_per_scored", "time to score a frame, ms", True, False),
    ("process_cpu_per_scored", "CPU time of the whole process a scored frame, ms", True, False),
    ("shown_rate", "frames shown a second", False, False),
    ("scored_rate", "frames scored a second", False, False),
    ("round_seconds", "length of a round, s", True, False),
    ("reference", "CPU time of a fixed piece of work, ms (the machine itself)", True, False),
)


def paces(checkpoints):
    """Compare the first with the last quarter of the rounds."""
    quarter = max(1, len(checkpoints) // 4)
    if len(checkpoints) < 2:
        return []
    found = []
    for key, name, is_cost, is_judged in PACES:
        first = statistics.median(one[key] for one in checkpoints[:quarter])
        last = statistics.median(one[key] for one in checkpoints[-quarter:])
        limit = SLOWER_LIMIT if is_judged and len(checkpoints) >= FEWEST else None
        found.append(Pace(name, first, last, is_cost, limit))
    return found


def growing_types(checkpoints, most=12):
    """Return the types of Python objects of which there are more and more, with their counts."""
    if len(checkpoints) < 3:
        return []
    hours = [one["seconds"] / 3600 for one in checkpoints]
    names = {name for one in checkpoints for name in one["types"]}
    found = []
    for name in names:
        values = [one["types"].get(name, 0) for one in checkpoints]
        third = len(values) // 3
        if values[-1] > values[0] and min(values[-third:]) > max(values[:third]):
            found.append(growth(name, hours, values, is_count=True))
    return sorted(found, key=lambda one: one.first - one.last)[:most]


def verdicts(checkpoints, warm_up, troubles):
    """Return what is wrong, one sentence each; empty when the run was clean.

    Parameters
    ----------
    checkpoints : list of dict
        Of the whole run.
    warm_up : float
        Seconds at the beginning that do not count.
    troubles : dict
        Number of errors logged, of error notices, of steps that waited in vain.
    """
    counted = after(checkpoints, warm_up)
    sentences = [
        f"{one.name} grows: {one.first:,.0f} at first, {one.last:,.0f} at last, "
        f"{one.slope:+,.1f} an hour ({one.low:+,.1f} to {one.high:+,.1f}; "
        f"at most {one.limit:g} allowed)."
        for one in growths(counted)
        if one.grows
    ]
    sentences += [
        f"{one.name}: {one.first:.2f} at first, {one.last:.2f} at last, a ratio of "
        f"{one.ratio:.2f} ({one.limit:g} allowed)."
        for one in paces(counted)
        if one.is_slower
    ]
    sentences += [f"{count} {what}." for what, count in troubles.items() if count]
    return sentences
