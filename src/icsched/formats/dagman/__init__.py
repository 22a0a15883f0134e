"""HTCondor DAGMan files, in and out."""
