"""Files, folders, locks and processes."""
