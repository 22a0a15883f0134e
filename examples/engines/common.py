"""The workflow of the examples, and how well a run followed its order."""

from icsched import Plan, prioritize

# Twelve roots; those with an odd number have two children each, the others none.
WORKFLOW = {f"root{number:02}": [] for number in range(12)} | {
    f"leaf{number:02}{side}": [f"root{number:02}"] for number in range(1, 12, 2) for side in "ab"
}


def plan() -> Plan:
    """Order the workflow: roots that free children come first."""
    return prioritize(WORKFLOW, "prio")


def show(expected: list[str], started: list[str]) -> None:
    """Print both orders, and how far tasks are from their places on average."""
    places = {name: place for place, name in enumerate(expected)}
    distances = [abs(place - places[name]) for place, name in enumerate(started)]
    print("order:  ", *expected)
    print("started:", *started)
    print(f"mean displacement: {sum(distances) / len(distances):.2f} tasks")
