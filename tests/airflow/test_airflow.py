"""The real Airflow: a DAG with the weights of a plan, read back as the scheduler reads it."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "engines" / "airflow_order.py"


def run(*command: str | Path, home: Path) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "AIRFLOW_HOME": str(home)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_largest_weights_are_first_in_the_order(tmp_path):
    order, sorted_by_weight = (
        line.split()[1:] for line in run(EXAMPLE, home=tmp_path).splitlines()[-3:-1]
    )

    assert len(order) == 24
    assert sorted_by_weight == order


DEFAULT_RULE = """
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow.serialization.serialized_objects import DagSerialization
from types import SimpleNamespace
with DAG("x", schedule=None) as dag:
    EmptyOperator(task_id="a", priority_weight=2) >> EmptyOperator(task_id="b", priority_weight=1)
for task in DagSerialization.from_dict(DagSerialization.to_dict(dag)).tasks:
    print(task.task_id, task.weight_rule.get_weight(SimpleNamespace(task=task)))
"""


def test_the_default_rule_adds_weights_and_so_would_not_keep_them(tmp_path):
    """Why the helper says weight_rule="absolute": a has 2, and gets 2 + 1."""
    assert run("-c", DEFAULT_RULE, home=tmp_path).split()[-4:] == ["a", "3", "b", "1"]
