"""`icsched learn`: what the logs of a past run say."""

import os
from typing import Annotated

from icsched.answers.learn import Outputs, learn_answer
from icsched.answers.reading import Reading
from icsched.answers.streams import STANDARD_OUTPUT
from icsched.cli.inputs import PathName, check_streams, refuse
from icsched.cli.output import SIGNS, WRITTEN, Flag, Json, OutputName
from icsched.cli.printing import put
from icsched.formats.dagman import DagmanOptions
from icsched.render import learn as render


def learn(
    *files: PathName,
    output_: Annotated[PathName | None, OutputName] = None,
    pool_file: Annotated[PathName | None, WRITTEN] = None,
    recorded: Flag = False,
    lenient: Flag = False,
    usedagdir: Flag = False,
    json_: Json = False,
) -> None:
    """Say what a past run tells: run times, waiting, stalls, the pool, and other orders.

    Parameters
    ----------
    files
        Event logs of HTCondor, or its history as JSON; and the DAGMan file of the workflow.
        Their content says which is which. Without a DAGMan file, only what logs alone can say.
    output_
        File for the run times, as a table that --run-times reads.
    pool_file
        JSON file for the pool, which --pool reads.
    recorded
        Take the slots as they came and left, instead of a fixed number of workers.
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Look for files from the directory of the DAGMan file, as condor_submit_dag -usedagdir does.
    json_
        Print one JSON object instead of tables.

    """
    check_streams(*files)
    _check_outputs(output_, pool_file)
    found = learn_answer(
        files,
        Outputs(output_, pool_file),
        recorded=recorded,
        reading=Reading(DagmanOptions(lenient, usedagdir, no_rescue=True)),
        signs=SIGNS,
    )
    put(found, render.text, render.keys, as_json=json_)


def _check_outputs(output: str | None, pool_file: str | None) -> None:
    """Raise ArgumentError for outputs that are not two files."""
    paths = [os.path.realpath(path) for path in (output, pool_file) if path is not None]
    refuse(
        {
            "-o: expected a file, got standard output": output == STANDARD_OUTPUT,
            "--pool-file: expected a file, got standard output": pool_file == STANDARD_OUTPUT,
            "-o and --pool-file name the same file": len(set(paths)) < len(paths),
        }
    )
