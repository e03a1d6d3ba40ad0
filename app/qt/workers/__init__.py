"""Workers: each has its own thread and exchanges frozen values through signals."""
