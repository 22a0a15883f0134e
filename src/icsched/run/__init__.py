"""Execution of a workflow: the journal, the loop, and the crews of local and Dask workers."""
