"""The threshold, from left-out scores of genuine samples."""
