"""HTCondor as an engine: DAGMan runs a workflow in the order of a plan."""

from icsched.engines.htcondor.running import HTCONDOR

__all__ = ["HTCONDOR"]
