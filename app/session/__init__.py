"""The state of a running app: scores, verdicts, takes and guided tests."""
