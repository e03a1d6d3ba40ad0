"""The demo's figures as tables for people."""

from rich.console import Console
from rich.table import Table

from app.demo.result import INDEPENDENCE_NOTE, STATEMENT, DemoResult, GroupResult
from app.models.summary import CERTIFIED_GAP


def print_demo(result: DemoResult, console: Console) -> None:
    """Print everything the demo found.

    Parameters
    ----------
    result : DemoResult
        The fitted model and its verdicts.
    console : rich.console.Console
        Where to print.
    """
    lights = list(dict.fromkeys(name.rpartition(" ")[0] for name in result.takes))
    console.print(
        f"[bold]Demo on {STATEMENT}[/bold]: {result.n_enrolled} genuine frames "
        f"in {len(result.takes)} takes, in {len(lights)} lights ({', '.join(lights)})"
    )
    console.print(weights_table(result))
    console.print(_gap_line(result))
    console.print(_threshold_lines(result), markup=False)
    console.print(verdicts_table(result))
    console.print(
        "Error: genuine presentations refused (BPCER) or attacks accepted (APCER, by species), "
        "of those with a response. No response: without a usable face."
    )
    console.print(f"[dim]{INDEPENDENCE_NOTE}[/dim]")


def weights_table(result: DemoResult) -> Table:
    """Return the kernel weights, one row per view and one column per cluster."""
    table = Table(title="Kernel weights", title_justify="left")
    table.add_column("view")
    for cluster in range(1, len(result.kernel_weights) + 1):
        table.add_column(f"cluster {cluster}", justify="right")
    for name, column in zip(result.model.view_names_, result.kernel_weights.T, strict=True):
        table.add_row(str(name), *(f"{weight:.3f}" for weight in column))
    return table


def verdicts_table(result: DemoResult) -> Table:
    """Return what became of the person's presentations and of every species of attack."""
    # Narrow enough for a terminal of 80 columns.
    table = Table(title="Presentations never learnt from", title_justify="left", pad_edge=False)
    table.add_column("presented", no_wrap=True)
    for heading in ("n", "accepted", "refused", "no resp.", "error", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for is_attack in (False, True):
        members = [item for item in result.results if item.is_attack == is_attack]
        for item in members:
            table.add_row(*_verdict_cells(item))
        table.add_section()
        together = "all attacks" if is_attack else "all genuine"
        joined = tuple(one for item in members for one in item.presentations)
        table.add_row(*_verdict_cells(GroupResult(together, is_attack, joined)), style="bold")
        table.add_section()
    return table


def _verdict_cells(item: GroupResult) -> tuple[str, ...]:
    value, (low, high) = item.errors.value, item.errors.interval
    return (
        item.name,
        str(item.n),
        str(item.n_accepted),
        str(item.n_refused),
        str(item.n_no_response),
        f"{value:.1%}" if value is not None else "-",
        f"{100 * low:.1f} to {high:.1%}" if value is not None else "-",
    )


def _gap_line(result: DemoResult) -> str:
    verdict = "certified" if result.is_certified else "NOT certified"
    return (
        f"Relative optimality gap: {result.model.gap_:.1e} "
        f"({verdict}: at most {CERTIFIED_GAP:.0e} is asked for)"
    )


def _threshold_lines(result: DemoResult) -> str:
    calibration = result.model.calibration_
    low, high = calibration.stress_interval
    return (
        f"Threshold: {calibration.threshold:.4f}; accept when score >= threshold\n"
        f"- Set to {calibration.origin}; no attack was used\n"
        f"- {calibration.statement}\n"
        f"- Whole conditions left out, as for one never enrolled: "
        f"BPCER {calibration.stress_bpcer:.1%}, 95 % interval {low:.1%} to {high:.1%}"
    )
