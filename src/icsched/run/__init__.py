"""Executing a workflow: the journal, the loop, and the crews of local and of Dask workers."""
