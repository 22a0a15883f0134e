"""Options of `icsched cluster` that several tests use."""

LEAN = ["--capacities", "2,3", "--clusterer", "lean"]
