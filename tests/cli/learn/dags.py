"""Workflows of which logs are learned."""

FORK_DAG = (
    "JOB map_1 map.sub\nJOB map_2 map.sub\nJOB join join.sub\n"
    "JOB out_1 out.sub\nJOB out_2 out.sub\n"
    "PARENT map_1 map_2 CHILD join\nPARENT join CHILD out_1 out_2\n"
)
FIVE_DAG = "".join(f"JOB job_{i} x.sub\n" for i in range(1, 6))
