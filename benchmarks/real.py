"""Views, parameters and thresholds on recordings of real people.

    python -m benchmarks real --views DIR [--preset NAME-OR-FILE ...] [--only TABLE ...]

DIR holds files made by `benchmarks.real_views`. For every preset, rule and parameter: AUC (worst
person), then APCER / BPCER in percent (worst person) at the model's own threshold, by frame and by
window of 15 frames, at least 5, as in the app. Means over people, with 95 % intervals from
resampling people; where all people have 0 % or all have 100 %, from their number (Clopper-Pearson).

Protocols:

- ``alt``: genuine takes in order of name, every other one enrolled, the rest tested
- ``half``: the first half of every take enrolled, the second half tested
- ``same light``, ``new light``, ``one take``: genuine takes named LIGHT_NUMBER. Number 1 of every
  light enrolled and the others tested; the second light enrolled and the first one tested; number 1
  of one light enrolled and the others of that light tested, light by light
- ``unseen people``: one model on all genuine rows of the split ``train``, tested on ``devel``
- groups with one model, takes named LIGHT_NUMBER: ``same light`` as above; ``one light``: the first
  person of a group enrolled in one light only, the others in all, and tested in the other lights

All of a person's attacks are tested. Takes with other names are tested by ``alt``.
"""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from app.session.decision import ENOUGH_FRAMES, WINDOW, decide, judge
from app.types import Condition, ScoredFrame, Verdict
from app.vision.conditions import EnrolledConditions
from benchmarks.real_views import RealViews, load
from lmkl_core import LocalisedMKL, clopper_pearson, kernels
from lmkl_core.baselines import METHODS
from lmkl_core.calibration.threshold import LEVEL_SHARE, threshold_for
from lmkl_core.features import weights
from lmkl_core.features.liveness import LIVE, LIVENESS, can_measure
from lmkl_core.features.presets import Branch, Preset, load_preset
from lmkl_core.features.weights.tensors import read_tensors
from lmkl_core.kernels import TAKE_WIDTHS
from lmkl_core.metrics import auc

LIGHT = re.compile(r"([^\W\d_][^_]*)_(\d+)")
FEWEST = 6
"""Rows that a person must have to be enrolled."""
LITE, MOBILE = "efficientnet-lite0", "mobilenet-v2"
PARTS = ("face", "wide", "nose", "cheek", "mouth", "eyes")


# ------------------------------------------------------------------ protocols


@dataclass(frozen=True)
class Trial:
    """One enrolment: rows to enrol, genuine rows and attacks to test."""

    person: str
    enrolled: np.ndarray
    genuine: np.ndarray
    attacks: np.ndarray


def lights_of(views: RealViews, rows):
    """Light and number of every row's take, or None if some name does not contain them."""
    found = [LIGHT.fullmatch(take) for take in views.take[rows]]
    if not all(found):
        return None
    return np.array([match[1] for match in found]), np.array([int(match[2]) for match in found])


def alternating(views, rows):
    takes = np.unique(views.take[rows])
    yield np.isin(views.take[rows], takes[::2]), np.isin(views.take[rows], takes[1::2])


def halves(views, rows):
    first = np.zeros(len(rows), bool)
    for take in np.unique(views.take[rows]):
        own = np.flatnonzero(views.take[rows] == take)
        first[own[: (len(own) + 1) // 2]] = True
    yield first, ~first


def same_light(views, rows):
    _, number = lights_of(views, rows)
    yield number == 1, number != 1


def new_light(views, rows):
    light, _ = lights_of(views, rows)
    enrolled = np.unique(light)[1:2]
    yield np.isin(light, enrolled), ~np.isin(light, enrolled)


def one_take(views, rows):
    light, number = lights_of(views, rows)
    for name in np.unique(light):
        yield (light == name) & (number == 1), (light == name) & (number != 1)


PROTOCOLS = {
    "alt": alternating,
    "half": halves,
    "same light": same_light,
    "new light": new_light,
    "one take": one_take,
}


def protocols_of(views: RealViews) -> tuple[str, ...]:
    """The protocols that a file's takes allow."""
    if lights_of(views, np.flatnonzero(views.is_genuine)) is None:
        return "alt", "half"
    return "same light", "half", "one take", "new light"


def trials(views: RealViews, protocol: str) -> Iterator[Trial]:
    for person in np.unique(views.person):
        own = views.person == person
        rows, attacks = (
            np.flatnonzero(own & kind) for kind in (views.is_genuine, ~views.is_genuine)
        )
        for enrolled, tested in PROTOCOLS[protocol](views, rows):
            if enrolled.sum() >= FEWEST and tested.any() and len(attacks):
                yield Trial(person, rows[enrolled], rows[tested], attacks)


def unseen_people(views: RealViews) -> Trial:
    train, devel = views.split == "train", views.split == "devel"
    kinds = (train & views.is_genuine, devel & views.is_genuine, devel & ~views.is_genuine)
    return Trial("all", *map(np.flatnonzero, kinds))


# ------------------------------------------------------------------ views


def arrays_of(views: RealViews, preset: Preset):
    """The preset's views, from pooled layers; None if the file lacks some."""
    arrays = {}
    for branch in preset.network_branches:
        for name in branch.view_names:
            if branch.network in views.embeddings:
                rows = views.embeddings[branch.network].astype(np.float64)
                arrays[name] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
                continue
            if name not in views.pooled:
                return None
            arrays[name] = normalised(views.pooled[name].astype(np.float64), branch)
    return arrays


def normalised(both, branch: Branch):
    """Pool and normalise as the networks' graphs do."""
    half = both.shape[1] // 2
    parts = {"mean": both[:, :half], "std": both[:, half:]}
    parts = [parts[name] for name in branch.pooling.split("+")]
    if branch.normalisation == "l2":
        parts = [np.hstack(parts)]
    if branch.normalisation != "none":
        norms = [np.linalg.norm(part, axis=1, keepdims=True) for part in parts]
        parts = [part / np.maximum(norm, 1e-12) for part, norm in zip(parts, norms, strict=True)]
    return np.hstack(parts) / np.sqrt(len(parts) if branch.normalisation == "l2-each" else 1)


def lite0(blocks, crops=PARTS, pooling="mean+std", normalisation="l2-each") -> Preset:
    layers = tuple(f"block{number}" for number in blocks)
    name = f"Lite0 {', '.join(map(str, blocks))} x {' '.join(crops)}, {pooling}, {normalisation}"
    branch = Branch(LITE, tuple(crops), layers, pooling, normalisation=normalisation)
    return Preset(name, "", load_preset("texture").crops, (branch,))


def candidates() -> list[Preset]:
    """The shipped presets, and the candidates they were chosen from."""
    parts = ("face", "wide", "mouth", "eyes")
    crops = load_preset("texture").crops
    first = Preset(
        "first default: std of Lite0 4, 7 and MobileNetV2 13, 17",
        "",
        crops,
        (
            Branch(LITE, parts[:2], ("block4", "block7"), "std"),
            Branch(MOBILE, parts, ("layer13", "layer17"), "std"),
        ),
    )
    last = Preset(
        "last layer: MobileNetV2 17", "", crops, (Branch(MOBILE, parts, ("layer17",), "mean"),)
    )
    return [
        *(replace(load_preset(name), name=f"`{name}`") for name in ("texture", "tiny", "liveness")),
        first,
        last,
        lite0((2, 7), normalisation="l2"),
        lite0((2, 7), pooling="std"),
        lite0((2, 4, 7)),
        lite0((2, 4, 7), PARTS[:4]),
        lite0((2, 4)),
        lite0((4, 7)),
        lite0((4,)),
        lite0((7,)),
        *(lite0((2, 4), two) for two in (("nose", "mouth"), ("nose", "cheek"), ("cheek", "eyes"))),
    ]


# ------------------------------------------------------------------ measuring


@dataclass(frozen=True)
class Scored:
    """Scores of one trial, and the model, from which rules compute a threshold."""

    person: str
    model: LocalisedMKL
    genuine: np.ndarray
    attacks: np.ndarray
    genuine_windows: np.ndarray
    attack_windows: np.ndarray


def windows(scores, recordings):
    """Means of the windows that the app would decide on."""
    means = []
    for name in np.unique(recordings):
        own = scores[recordings == name]
        cuts = [own[start : start + WINDOW] for start in range(0, len(own), WINDOW)]
        means += [cut.mean() for cut in cuts if len(cut) >= ENOUGH_FRAMES]
    return np.array(means)


def scored(views: RealViews, arrays, trial: Trial, model=None, **parameters) -> Scored:
    """Fit a model on the enrolled rows and score the others."""
    model = model or LocalisedMKL(random_state=0, **parameters)
    takes = {"groups": views.recording[trial.enrolled]} if isinstance(model, LocalisedMKL) else {}
    model.fit(rows_of(arrays, trial.enrolled), **takes)
    return with_scores(views, arrays, trial, model)


def with_scores(views, arrays, trial, model) -> Scored:
    genuine, attacks = (
        model.score_samples(rows_of(arrays, rows)) for rows in (trial.genuine, trial.attacks)
    )
    return Scored(
        trial.person,
        model,
        genuine,
        attacks,
        windows(genuine, views.recording[trial.genuine]),
        windows(attacks, views.recording[trial.attacks]),
    )


def rows_of(arrays, rows):
    return {name: array[rows] for name, array in arrays.items()}


def own_threshold(model):
    return model.offset_


def by_person(people, values):
    """Mean over the trials of each person who has any value."""
    people, values = people[~np.isnan(values)], values[~np.isnan(values)]
    return np.array([values[people == person].mean() for person in np.unique(people)])


def interval(shares):
    """95 % interval of the mean over people, in percent, by resampling them.

    If it is 0 or 1, every draw is the same: then the interval of the share of people with errors.
    """
    if shares.mean() in (0, 1):
        return 100 * np.array(clopper_pearson(int(shares.sum()), len(shares)))
    draws = np.random.default_rng(0).integers(len(shares), size=(2000, len(shares)))
    return np.quantile(100 * shares[draws].mean(axis=1), [0.025, 0.975])


def rate(shares):
    """Mean with its interval and the worst person, in percent."""
    if not len(shares):
        return "-"
    low, high = interval(shares)
    return f"{100 * shares.mean():.2f} [{low:.1f}, {high:.1f}] ({100 * shares.max():.0f})"


def share(condition):
    return float(np.mean(condition)) if len(condition) else np.nan


def cells(results: list[Scored], rule=own_threshold) -> list[str]:
    """People, AUC, APCER and BPCER by frame and by window."""
    people = np.array([one.person for one in results])
    areas = by_person(people, np.array([auc(one.genuine, one.attacks).value for one in results]))
    errors = np.array(
        [
            (
                share(one.attacks >= threshold),
                share(one.genuine < threshold),
                share(one.attack_windows >= threshold),
                share(one.genuine_windows < threshold),
            )
            for one in results
            for threshold in [rule(one.model)]
        ]
    )
    rates = [rate(by_person(people, column)) for column in errors.T]
    return [f"{len(areas)}", f"{areas.mean():.4f} ({areas.min():.3f})", *rates]


COLUMNS = "people | AUC | APCER, frames | BPCER, frames | APCER, windows | BPCER, windows"


def print_row(*texts):
    print("| " + " | ".join(texts) + " |", flush=True)


def heading(title, first):
    print(f"\n### {title}\n\n| {first} | {COLUMNS} |")
    print("|---" * (len(COLUMNS.split("|")) + first.count("|") + 1) + "|", flush=True)


# ------------------------------------------------------------------ tables


def percent(shares):
    low, high = interval(shares)
    return f"{100 * shares.mean():.1f} % ({low:.1f} to {high:.1f})"


def summary_table(files, preset):
    """The shipped defaults in enrolled light, one column per file."""
    columns = []
    for views, protocol in known_light(files):
        arrays, tried = arrays_of(views, preset), list(trials(views, protocol))
        results = [scored(views, arrays, trial) for trial in tried]
        people = np.array([one.person for one in results])
        areas = [auc(one.genuine, one.attacks).value for one in results]
        accepted = np.array([share(one.attacks >= one.model.offset_) for one in results])
        refused = np.array([share(one.genuine < one.model.offset_) for one in results])
        columns.append(
            (
                f"{views.name}, {protocol} ({len(np.unique(people))} people)",
                f"{np.mean(areas):.4f} ({min(areas):.3f})",
                f"{percent(by_person(people, accepted))} of {sum(len(t.attacks) for t in tried)}",
                f"{percent(by_person(people, refused))} of {sum(len(t.genuine) for t in tried)}",
            )
        )
    names = (
        "",
        "AUC by frame, mean (worst person)",
        "attack frames accepted",
        "genuine frames refused",
    )
    head, *rows = zip(names, *columns, strict=True)
    print("\n### Defaults in enrolled light, means over people (95 % intervals)\n")
    print_row(*head)
    print("|---" * len(head) + "|")
    for row in rows:
        print_row(*row)


def preset_table(files, presets):
    """The first two presets by every protocol, the others only by the first one."""
    heading("Presets, at the default parameters and threshold", "views | n | recordings")
    for place, preset in enumerate(presets):
        for views in files:
            arrays = arrays_of(views, preset)
            if arrays is None:
                continue
            for protocol in protocols_of(views)[: None if place < 2 else 1]:
                results = [scored(views, arrays, trial) for trial in trials(views, protocol)]
                if results:
                    where = f"{views.name}, {protocol}"
                    print_row(preset.name, str(len(arrays)), where, *cells(results))
            if views.split is not None:
                print_row(preset.name, str(len(arrays)), *unseen_row(views, arrays))


def unseen_row(views, arrays):
    """One model for all on people it never saw: AUC over all of them, rates by person."""
    trial = unseen_people(views)
    together = scored(views, arrays, trial)
    results = []
    for person in np.unique(views.person[trial.genuine]):
        genuine, attacks = (
            rows[views.person[rows] == person] for rows in (trial.genuine, trial.attacks)
        )
        own = Trial(person, trial.enrolled, genuine, attacks)
        results.append(with_scores(views, arrays, own, together.model))
    area = auc(together.genuine, together.attacks).value
    n_people, _, *rates = cells(results)
    return f"{views.name}, unseen people", n_people, f"{area:.4f}", *rates


def rules():
    for factor in (0.5, 0.55, 0.6, 0.62, LEVEL_SHARE, 0.7, 0.75):
        yield f"{factor:g} x median", lambda m, f=factor: f * m.calibration_.level
    for target in (0.05, 0.01):
        yield f"BPCER {target:.0%}", lambda m, t=target: threshold_for(m.calibration_.scores, t)


def known_light(files):
    """The files that are sampled as densely as in the app, if any, each with its first protocol."""
    dense = [views for views in files if views.name.endswith("-dense")] or files
    return [(views, protocols_of(views)[0]) for views in dense]


def rule_table(files, preset):
    heading("Rules for the threshold", "rule | recordings")
    for views, protocol in known_light(files):
        arrays = arrays_of(views, preset)
        results = [scored(views, arrays, trial) for trial in trials(views, protocol)]
        for name, rule in rules():
            print_row(name, f"{views.name}, {protocol}", *cells(results, rule))


PARAMETERS = {
    "as shipped": {},
    **{f"C = {n}": {"n_clusters": n} for n in (1, 2, 4, 5)},
    **{f"delta {delta:g}": {"delta": delta} for delta in (0.001, 0.003, 0.03, 0.1)},
    **{f"p = q = {p:.3g}": {"p": p, "q": p} for p in (8 / 7, 2.0, 4.0)},
    **{f"temperature {t:g}": {"temperature": t} for t in (0.05, 0.2, 0.5)},
}
WIDTHS = (0.0, 1.0, TAKE_WIDTHS, 1.5, 2.0)


def parameter_table(files, preset):
    heading("Parameters", "parameter | recordings")
    places = known_light(files)
    for name, parameters in PARAMETERS.items():
        for views, protocol in places:
            arrays = arrays_of(views, preset)
            results = [scored(views, arrays, t, **parameters) for t in trials(views, protocol)]
            print_row(name, f"{views.name}, {protocol}", *cells(results))
    places += [(v, "one take") for v, protocol in places if protocol == "same light"]
    for width in WIDTHS:
        for views, protocol in places:
            arrays = arrays_of(views, preset)
            with patch.object(kernels, "TAKE_WIDTHS", width):
                results = [scored(views, arrays, trial) for trial in trials(views, protocol)]
            name = f"kernels at least {width:g} x distance inside takes"
            print_row(name, f"{views.name}, {protocol}", *cells(results))


def other_people_table(files, preset):
    """Other people than the enrolled one, live, each in front of their own camera."""
    print(
        "\n### Other people, live\n\n| recordings | enrolled | frames accepted | windows accepted |"
    )
    print("|---" * 4 + "|")
    for views, protocol in known_light(files):
        arrays = arrays_of(views, preset)
        accepted = []
        for trial in trials(views, protocol):
            others = np.flatnonzero(views.is_genuine & (views.person != trial.person))
            one = scored(views, arrays, replace(trial, attacks=others))
            offset = one.model.offset_
            accepted.append((share(one.attacks >= offset), share(one.attack_windows >= offset)))
        frames, means = np.array(accepted).T
        print_row(f"{views.name}, {protocol}", str(len(frames)), rate(frames), rate(means))


GROUPS = {2: (3, 4, 5, 6), 3: (3, 5, 7, 9), 5: (3, 5, 7, 9, 11, 12), 10: (3, 5, 8, 12)}
"""Numbers of people who share a model, and the numbers of clusters to try for each."""
N_PARTITIONS = 5
"""Number of ways to divide people into groups: in order of name, then at random."""


def groups_of(people, size):
    draw = np.random.default_rng(0)
    orders = [people, *(draw.permutation(people) for _ in range(N_PARTITIONS - 1))]
    starts = range(0, len(people) - size + 1, size)
    return [order[start : start + size] for order in orders for start in starts]


def group_trials(views: RealViews, group, protocol: str) -> Iterator[Trial]:
    """One trial for every tested person; all enrol the same rows of the whole group."""
    rows = np.flatnonzero(views.is_genuine & np.isin(views.person, group))
    light, number = lights_of(views, rows)
    if len(np.unique(light)) < 2:
        return
    is_enrolled, is_tested, tested = number == 1, number != 1, group
    if protocol == "one light":
        tested = group[:1]
        is_elsewhere = (views.person[rows] == tested[0]) & (light != np.unique(light)[1])
        is_enrolled, is_tested = is_enrolled & ~is_elsewhere, is_elsewhere
    for person in tested:
        genuine = rows[is_tested & (views.person[rows] == person)]
        attacks = np.flatnonzero(~views.is_genuine & (views.person == person))
        if len(genuine) and len(attacks):
            yield Trial(person, rows[is_enrolled], genuine, attacks)


def people_table(files, preset):
    """Several people with one model: clusters by the number of people, rates by person."""
    heading("Several people", "group | clusters | recordings")
    for views, _ in known_light(files):
        if lights_of(views, np.flatnonzero(views.is_genuine)) is None:
            continue
        arrays, people = arrays_of(views, preset), np.unique(views.person)
        for size, clusters in GROUPS.items():
            groups = groups_of(people, size)
            for protocol, n_clusters in product(("same light", "one light"), clusters):
                results = []
                for group in groups:
                    first, *others = group_trials(views, group, protocol)
                    results.append(scored(views, arrays, first, n_clusters=n_clusters))
                    model = results[-1].model
                    results += [with_scores(views, arrays, one, model) for one in others]
                where = f"{views.name}, {protocol}"
                print_row(str(size), f"C = {n_clusters}", where, *cells(results))


def liveness_of(views: RealViews, combine=np.max):
    """Liveness of every row as the app measures it, from the embeddings; None without networks."""
    if set(views.embeddings) != set(LIVENESS.networks) or not can_measure():
        return None
    found = []
    for name, rows in views.embeddings.items():
        state = read_tensors(weights.find(name).path)
        logits = rows.astype(np.float64) @ state["module.prob.weight"].T
        found.append(softmax(logits, axis=1)[:, LIVE])
    return combine(found, axis=0)


def methods_table(files, preset):
    """Other methods on the same views and frames, and MiniFASNet as its authors use it."""
    places = [
        (views, protocol, list(trials(views, protocol))) for views, protocol in known_light(files)
    ]
    places += [(v, "unseen people", [unseen_people(v)]) for v in files if v.split is not None]
    print("\n### Methods on the same views: AUC (worst person); BPCER in % at APCER 1 %\n")
    print_row("method", *(f"{views.name}, {protocol}" for views, protocol, _ in places))
    print("|---" * (len(places) + 1) + "|")
    for method in METHODS.values():
        if method.uses == "all":
            row = []
            for views, _, tried in places:
                arrays = arrays_of(views, preset)
                row.append(separation([scored(views, arrays, t, method.make()) for t in tried]))
            print_row(method.title, *row)
    for views in files:
        live = liveness_of(views, np.mean)
        if live is not None:
            is_error = (live >= 0.5) != views.is_genuine
            errors = [
                by_person(views.person[rows], is_error[rows].astype(float))
                for rows in (~views.is_genuine, views.is_genuine)
            ]
            attacks, genuine = map(percent, errors)
            print(
                f"\nPre-trained MiniFASNets at 0.5, {views.name}: APCER {attacks}, BPCER {genuine}"
            )


def separation(results: list[Scored]):
    """AUC, and BPCER where at most 1 % of a person's attack frames are accepted."""
    areas = np.array([auc(one.genuine, one.attacks).value for one in results])
    refused = [
        share(one.genuine <= np.quantile(one.attacks, 0.99, method="higher")) for one in results
    ]
    worst = f" ({areas.min():.3f})" if len(areas) > 1 else ""
    return f"{areas.mean():.4f}{worst}; {100 * np.mean(refused):.1f}"


def verdicts(views: RealViews, arrays, trial: Trial, liveness):
    """Yield the shares of all `VERDICTS` for genuine rows, then for attacks.

    Each by frame, and by recording of at least 5 frames, which is judged like the app's window.
    """
    one = scored(views, arrays, trial)
    threshold = one.model.offset_
    conditions = [Condition(*map(float, row)) for row in views.conditions]
    enrolled = [conditions[row] for row in trial.enrolled]
    known = EnrolledConditions.of(enrolled, views.recording[trial.enrolled].tolist())
    for rows, scores in ((trial.genuine, one.genuine), (trial.attacks, one.attacks)):
        seen = [known.familiarity(conditions[row]) for row in rows]
        live = [None] * len(rows) if liveness is None else liveness[rows]
        frames = [
            ScoredFrame(
                *judge(score, threshold, light, alive), score, liveness=alive, familiarity=light
            )
            for score, light, alive in zip(scores, seen, live, strict=True)
        ]
        names = views.recording[rows]
        recordings = [
            [frames[place] for place in np.flatnonzero(names == name)] for name in np.unique(names)
        ]
        means = [decide(own, threshold) for own in recordings if len(own) >= ENOUGH_FRAMES]
        given = [frame.verdict for frame in frames], [mean.verdict for mean in means]
        yield [[share([v is kind for v in found]) for kind in VERDICTS] for found in given]


VERDICTS = (Verdict.GENUINE, Verdict.UNFAMILIAR, Verdict.ATTACK)


def verdict_table(files, preset):
    """Verdicts on frames and recordings, with and without the liveness networks."""
    print("\n### Verdicts: accepted / unfamiliar / attack, in percent of each person's, mean\n")
    print("| recordings | liveness | presented | people | frames | recordings |")
    print("|---" * 6 + "|")
    for views in files:
        arrays = arrays_of(views, preset)
        if arrays is None or views.conditions is None:
            continue
        measured = liveness_of(views)
        for protocol in protocols_of(views):
            for liveness in [None] if measured is None else [None, measured]:
                tried = list(trials(views, protocol))
                if not tried:
                    continue
                people = np.array([trial.person for trial in tried])
                found = np.array([list(verdicts(views, arrays, t, liveness)) for t in tried])
                by_kind = found.transpose(1, 2, 3, 0)
                for kind, levels in zip(("genuine", "attacks"), by_kind, strict=True):
                    where = f"{views.name}, {protocol}"
                    with_networks = "no" if liveness is None else "yes"
                    cells = [mean_shares(people, level) for level in levels]
                    print_row(where, with_networks, kind, str(len(np.unique(people))), *cells)


def mean_shares(people, shares):
    """Means over people of each verdict's share."""
    means = [by_person(people, values) for values in shares]
    return " / ".join(f"{100 * m.mean():.1f}" for m in means) if len(means[0]) else "-"


TABLES = {
    "summary": lambda files, presets: summary_table(files, presets[0]),
    "presets": lambda files, presets: preset_table(files, presets),
    "rules": lambda files, presets: rule_table(files, presets[0]),
    "parameters": lambda files, presets: parameter_table(files, presets[0]),
    "verdicts": lambda files, presets: verdict_table(files, presets[0]),
    "others": lambda files, presets: other_people_table(files, presets[0]),
    "people": lambda files, presets: people_table(files, presets[0]),
    "methods": lambda files, presets: methods_table(files, presets[0]),
}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks real")
    parser.add_argument("--views", type=Path, help="folder of files made by real_views")
    parser.add_argument("--preset", action="append", help="measure this preset instead of the list")
    parser.add_argument("--only", action="append", choices=TABLES, help="print only this table")
    options = parser.parse_args(arguments)
    if options.views is None:
        print("Pass a folder with --views; python -m benchmarks real_views makes its files.")
        return
    files = [load(path) for path in sorted(options.views.glob("*.npz"))]
    if not files:
        raise SystemExit(f"{options.views} holds no .npz files.")
    presets = [load_preset(name) for name in options.preset or ()] or candidates()
    for views in files:
        n_genuine, n_attacks = views.is_genuine.sum(), (~views.is_genuine).sum()
        n_people = len(np.unique(views.person))
        print(
            f"{views.name}: {n_people} people, {n_genuine} genuine frames, {n_attacks} of attacks"
        )
    with threadpool_limits(1):
        for name in options.only or TABLES:
            TABLES[name](files, presets)


if __name__ == "__main__":
    main()
