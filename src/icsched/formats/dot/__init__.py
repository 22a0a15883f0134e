"""Graphviz files: reading and writing digraphs."""
