"""Airflow gets the order of icsched: python examples/engines/airflow_order.py.

Builds a DAG, and reads it back as Airflow's scheduler does. The scheduler sorts tasks that are
ready by the weights that this prints, the largest first.
"""

from types import SimpleNamespace

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow.serialization.serialized_objects import DagSerialization
from common import WORKFLOW, plan, show

from icsched.plugins.engine_arguments import airflow_arguments

PLAN = plan()
ARGUMENTS = airflow_arguments(PLAN)

with DAG("icsched_example", schedule=None) as dag:
    operators = {name: EmptyOperator(task_id=name, **ARGUMENTS[name]) for name in WORKFLOW}
    for name, parents in WORKFLOW.items():
        operators[name].set_upstream([operators[parent] for parent in parents])

read_back = DagSerialization.from_dict(DagSerialization.to_dict(dag))
weights = {
    task.task_id: task.weight_rule.get_weight(SimpleNamespace(task=task))
    for task in read_back.tasks
}
show(PLAN.names, sorted(weights, key=weights.get, reverse=True))
