"""`icsched batch`: the best jobs to hand out together, now."""

from typing import Annotated

from icsched import checks
from icsched.answers.batch import batch_answer
from icsched.answers.reading import Reading
from icsched.cli.inputs import USUAL, WHOLE, FileName, FileOptions, check_streams
from icsched.cli.output import SIGNS, Json
from icsched.cli.printing import put
from icsched.render import batch as render


def batch(
    *files: FileName,
    take: Annotated[int, WHOLE],
    done: str = "",
    running: str = "",
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Choose the jobs that leave the most jobs eligible once they have run.

    Parameters
    ----------
    take
        How many jobs to hand out, 1 or more; all eligible jobs if there are fewer.
    done
        Jobs that have run: names separated by commas, or @FILE with one name on each line (@- for
        standard input). Jobs that the files or the newest rescue file say are done need not
        be listed.
    running
        Jobs that were handed out and have not ended, given as for --done. They are not handed out
        again, and what they will enable counts.
    json_
        Print one JSON object instead of a report.

    """
    checks.whole_number("--take", take, least=1)
    check_streams(*files, done, running)
    found = batch_answer(
        files,
        take,
        done=done,
        running=running,
        reading=Reading(reading),
        signs=SIGNS,
    )
    put(found, render.text, render.keys, as_json=json_)
