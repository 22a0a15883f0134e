"""Texts of DAGMan that several tests use."""

QUEUE = "{\nqueue\n}"
