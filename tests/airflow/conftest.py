"""Airflow takes long to install: `make test-engines` does. Without it nothing is collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("airflow") else ["*"]
