"""What is known of weights, as tables for people and as JSON for machines."""

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from lmkl_core.features.weights.store import Checksum, Finding, Place, WeightsFile

_CHECKSUM_WORDS = {
    Checksum.RIGHT: "right",
    Checksum.WRONG: "[bold red]WRONG[/bold red]",
    Checksum.UNREADABLE: "[bold red]unreadable[/bold red]",
    Checksum.NONE: "-",
}


def findings_table(findings: Iterable[Finding]) -> Table:
    """Return one row for each entry: what it is, where it lies and whether it is whole."""
    table = Table(title="Weights", title_justify="left")
    table.add_column("name and use")
    table.add_column("where")
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("licence", no_wrap=True)
    table.add_column("checksum")
    for finding in findings:
        size = finding.entry.size if finding.size is None else finding.size
        table.add_row(
            f"[bold]{finding.entry.name}[/bold]\n{finding.entry.what}",
            _place_words(finding),
            megabytes(size),
            finding.entry.licence,
            _checksum_words(finding),
        )
    return table


def megabytes(size: int | None) -> str:
    """Write a number of bytes for people; a dash where it is not known."""
    if size is None:
        return "-"
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """Return everything known of one entry."""
    entry = finding.entry
    return {
        "name": entry.name,
        "what": entry.what,
        "file": entry.file_name,
        "licence": entry.licence,
        "package": None if entry.package is None else entry.package.distribution,
        "url": entry.url or None,
        "expected_size": entry.size,
        "expected_sha256": entry.sha256,
        "place": finding.place.value,
        "path": None if finding.path is None else str(finding.path),
        "size": finding.size,
        "sha256": finding.sha256 or None,
        "checksum": finding.checksum.value,
        "problem": finding.problem or None,
        "fetched_bytes": finding.fetched,
    }


def file_as_json(file: WeightsFile) -> dict[str, Any]:
    """Return what became of one file that was fetched or imported."""
    return {"name": file.entry.name, "path": str(file.path), "sha256": file.sha256}


def _place_words(finding: Finding) -> str:
    if finding.place is Place.NOWHERE and finding.fetched:
        return f"missing, {megabytes(finding.fetched)} fetched"
    return finding.place.value


def _checksum_words(finding: Finding) -> str:
    words = _CHECKSUM_WORDS[finding.checksum]
    if finding.checksum is Checksum.RIGHT and not finding.entry.is_pinned:
        return f"{words}, {len(finding.entry.sha256)} digits"
    return words
