"""WfFormat, the JSON of WfCommons: workflows with run times, files and commands."""
