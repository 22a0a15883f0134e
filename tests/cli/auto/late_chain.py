"""A workflow whose order matters to two workers, and one whose order does not."""

# Ten jobs without children come before a chain of five. Two workers that start with the chain
# need 8; first come, first served takes nearly all others first, and needs 10.
JOBS = "".join(f"JOB l{number} x.sub\n" for number in range(10))
CHAIN = "".join(f"JOB c{number} x.sub\n" for number in range(5))
ARCS = "".join(f"PARENT c{number} CHILD c{number + 1}\n" for number in range(4))
LATE_CHAIN = JOBS + CHAIN + ARCS
ALIKE = "JOB a x.sub\nJOB b x.sub\n"
BEST = [f"c{number}" for number in range(5)] + [f"l{number}" for number in range(10)]


TWO = ("--workers", "2")
