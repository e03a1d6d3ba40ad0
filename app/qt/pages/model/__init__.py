"""The Model page and its parts."""
