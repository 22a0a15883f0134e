"""Flowcharts of Mermaid: reading and writing."""
