"""The left half of the window: the picture, the verdict, notices, the source."""
