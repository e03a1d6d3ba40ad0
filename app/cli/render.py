"""The demo's figures as tables for people."""

from rich.console import Console
from rich.table import Table

from app.demo import CERTIFIED_GAP, INDEPENDENCE_NOTE, DemoResult, TakeResult
from app.demo_views import STATEMENT


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
        f"[bold]Demo on {STATEMENT}[/bold]: {result.n_enrolled} genuine samples "
        f"in {len(result.takes)} takes ({', '.join(result.takes)})"
    )
    console.print(weights_table(result))
    console.print(_gap_line(result))
    console.print(_threshold_lines(result), markup=False)
    console.print(verdicts_table(result))
    console.print("BPCER: genuine samples refused. APCER: attack samples accepted.")
    console.print(f"[dim]{INDEPENDENCE_NOTE}[/dim]")


def weights_table(result: DemoResult) -> Table:
    """Return the kernel weights, one row per cluster and one column per view."""
    table = Table(title="Kernel weights", title_justify="left")
    table.add_column("cluster", justify="right")
    for name in result.model.view_names_:
        table.add_column(str(name), justify="right")
    for cluster, row in enumerate(result.kernel_weights, start=1):
        table.add_row(str(cluster), *(f"{weight:.3f}" for weight in row))
    return table


def verdicts_table(result: DemoResult) -> Table:
    """Return the accept and refuse rates of every take and every kind of attack."""
    table = Table(title="Samples never learnt from", title_justify="left")
    table.add_column("take or attack")
    for heading in ("n", "accepted", "refused", "error", "95 % interval"):
        table.add_column(heading, justify="right")
    for is_attack in (False, True):
        for item in result.results:
            if item.is_attack == is_attack:
                table.add_row(*_verdict_cells(item))
        table.add_section()
    return table


def _verdict_cells(item: TakeResult) -> tuple[str, ...]:
    accepted = item.n_accepted / item.n
    error = "APCER" if item.is_attack else "BPCER"
    low, high = item.error_interval
    return (
        item.name,
        str(item.n),
        f"{accepted:.1%}",
        f"{1 - accepted:.1%}",
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
        f"- Whole takes left out, as for a condition never enrolled: "
        f"BPCER {calibration.stress_bpcer:.1%}, 95 % interval {low:.1%} to {high:.1%}"
    )
