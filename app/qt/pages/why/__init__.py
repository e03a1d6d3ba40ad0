"""The Why page and its parts."""
