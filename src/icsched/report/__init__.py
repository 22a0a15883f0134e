"""The report of a workflow as one page, and pictures of workflows, orders, runs and studies."""
