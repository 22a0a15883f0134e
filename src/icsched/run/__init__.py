"""Runs of workflows: the journal, the loop over a server and workers, and what was learned."""
