"""The demo's figures as tables for people."""

from rich.console import Console
from rich.table import Table

from app.demo import INDEPENDENCE_NOTE, STATEMENT, DemoResult, TakeResult
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
    console.print(
        f"[bold]Demo on {STATEMENT}[/bold]: {result.n_enrolled} genuine frames "
        f"in {len(result.takes)} takes ({', '.join(result.takes)})"
    )
    console.print(weights_table(result))
    console.print(_gap_line(result))
    console.print(_threshold_lines(result), markup=False)
    console.print(verdicts_table(result))
    console.print(
        "BPCER: genuine frames refused. APCER: attack frames accepted. Unfamiliar: refused, but in "
        "circumstances that were not enrolled, so that the app would offer to add a take."
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
    """Return the accept and refuse rates of every take and every kind of attack."""
    table = Table(title="Frames never learnt from", title_justify="left")
    table.add_column("take or attack")
    for heading in ("n", "accepted", "unfamiliar", "error", "95 % interval"):
        table.add_column(heading, justify="right")
    for is_attack in (False, True):
        for item in result.results:
            if item.is_attack == is_attack:
                table.add_row(*_verdict_cells(item))
        table.add_section()
    return table


def _verdict_cells(item: TakeResult) -> tuple[str, ...]:
    error = "APCER" if item.is_attack else "BPCER"
    low, high = item.error_interval
    return (
        item.name,
        str(item.n),
        str(item.n_accepted),
        str(item.n_unfamiliar),
        f"{error} {item.error_rate:.1%}",
        f"{low:.1%} to {high:.1%}",
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
        f"- From {calibration.origin}; no attack was used\n"
        f"- {calibration.statement}\n"
        f"- Whole conditions left out, as for one never enrolled: "
        f"BPCER {calibration.stress_bpcer:.1%}, 95 % interval {low:.1%} to {high:.1%}"
    )
