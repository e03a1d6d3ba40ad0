"""The operating point, from left-out scores of genuine samples."""
