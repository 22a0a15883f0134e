"""How long icsched takes to start, against `python -c "import numpy"` in the same run."""

import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
SCRIPT = str(Path(sys.executable).parent / "icsched")
CASES = {
    "python": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import icsched": [sys.executable, "-c", "import icsched"],
    "icsched --version": [SCRIPT, "--version"],
    "icsched --help": [SCRIPT, "--help"],
    "icsched prio --help": [SCRIPT, "prio", "--help"],
    "icsched show": [SCRIPT, "show", "-"],
    "icsched batch": [SCRIPT, "batch", "-", "--take", "1"],
    "icsched cluster": [SCRIPT, "cluster", "-", "--size", "1"],
}
WORKFLOW = b"JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n"
PEER = "import numpy"


def seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, input=WORKFLOW, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  ours
    return time.perf_counter() - start


def main() -> None:
    # The best of several rounds: other programs can only make a start slower.
    rounds = [{name: seconds(words) for name, words in CASES.items()} for _ in range(ROUNDS)]
    best = {name: min(found[name] for found in rounds) for name in CASES}
    print(f"{'start':24} {'ms':>6}  over {PEER}")
    for name, found in best.items():
        print(f"{name:24} {1000 * found:6.0f}  {found / best[PEER]:.2f}")


if __name__ == "__main__":
    main()
