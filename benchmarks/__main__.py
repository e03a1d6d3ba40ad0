"""Run the benchmarks: all of them, or one by name with its options.

python -m benchmarks
python -m benchmarks grid --hostile
"""

import importlib
import sys

NAMES = (
    "grid",
    "scoring",
    "growth",
    "operating_point",
    "views",
    "presets",
    "descriptors",
    "conditions",
    "memory",
    "launch",
    "responsiveness",
    "enrolment",
    "recordings",
    "evaluation",
)


def main():
    if len(sys.argv) > 1:
        name, *arguments = sys.argv[1:]
        if name not in NAMES:
            sys.exit(f"There is no benchmark {name!r}: choose one of {', '.join(NAMES)}.")
        importlib.import_module(f"benchmarks.{name}").main(arguments)
        return
    for name in NAMES:
        print(f"== {name}")
        importlib.import_module(f"benchmarks.{name}").main([])


if __name__ == "__main__":
    main()
