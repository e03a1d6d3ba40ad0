"""Saved test sessions and the JSON of reports."""

import json
import random
from pathlib import Path

from app.cli.saved_session import read_session
from app.reports import build
from app.reports.csv_files import facts_csv, figures_csv, presentations_csv
from app.reports.html import guided_test_page as render
from app.reports.json_files import guided_test_document as as_document
from app.session.guided_test.presentation import GuidedTestError
from tests.app.pages import outline
from tests.app.reports.report_material import context
from tools.fuzzing.mutators import mutated_bytes, mutated_json, spelt
from tools.fuzzing.target import LOADED, Target, told

REPORTED = 32
"""One of so many sessions that load is made a report of, which takes a hundred times as long."""


class SessionTarget(Target):
    """`app.cli.saved_session.read_session`, and the report of what was read."""

    name = "session"
    inputs = 50_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._path = folder / "bad.json"

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            return mutated_bytes(data, self.seeds, rng)
        inner = values.get("session", values) if isinstance(values, dict) else values
        if isinstance(inner, dict) and rng.random() < 0.7:
            changed = mutated_json(inner, rng)
            values = changed if inner is values else values | {"session": changed}
        else:
            values = mutated_json(values, rng, ("session", "model"))
        return spelt(values, rng)

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        try:
            found = read_session(self._path)
        except GuidedTestError as error:
            return told(str(error).replace(str(self._path), "FILE"))
        json.dumps(found.guided_test.as_dict(), allow_nan=False).encode()
        assert found.guided_test.tally is not None
        if sum(data) % REPORTED == 0:
            report = build(found.guided_test, context(source=found.source, model=found.model))
            outline(render(report))
            json.dumps(as_document(report), allow_nan=False, ensure_ascii=False)
            figures_csv(report), presentations_csv(report), facts_csv(report)
        return LOADED
