"""Run all short benchmarks, or one by name with its options.

python -m benchmarks
python -m benchmarks grid --hostile
"""

import importlib
import sys

NAMES = (
    "real",
    "grid",
    "scoring",
    "growth",
    "views",
    "memory",
    "launch",
    "responsiveness",
    "evaluation",
    "sweep",
)

NAMED = ("figures", "real_views", "soak")
"""Run only when asked for by name: they run the others, need arguments, or take an hour."""


def main():
    if len(sys.argv) > 1:
        name, *arguments = sys.argv[1:]
        if name in ("-h", "--help"):
            print(f"{__doc__}\nBenchmarks: {', '.join(NAMES + NAMED)}")
            return
        if name not in NAMES + NAMED:
            known = ", ".join(NAMES + NAMED)
            sys.exit(f"There is no benchmark {name!r}: choose one of {known}.")
        importlib.import_module(f"benchmarks.{name}").main(arguments)
        return
    for name in NAMES:
        print(f"== {name}")
        importlib.import_module(f"benchmarks.{name}").main([])


if __name__ == "__main__":
    main()
