"""Workers: each lives on a thread of its own and exchanges frozen values through signals."""
