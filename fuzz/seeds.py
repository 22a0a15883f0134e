"""Write what the fuzzers start from: `seeds.py FOLDER` makes FOLDER/seeds and FOLDER/words.

The seeds of logs go into FOLDER/read_logs, because no other target reads logs.
"""

import sys
from pathlib import Path

FILES = [
    'JOB a a.sub\nJOB b b.sub DIR d NOOP DONE\nVARS a x="1" +y="2 3"\nPARENT a CHILD b\n',
    "JOB a a.sub\nRETRY a 3 UNLESS-EXIT 2\nPRIORITY a -5\nCATEGORY a big\nMAXJOBS big 2\n",
    "JOB a a.sub\nSCRIPT PRE a check $JOB\nSCRIPT DEFER 4 60 POST a x\nPRE_SKIP a 1\nDONE a\n",
    "JOB a a.sub\nABORT-DAG-ON a 3 RETURN 1\nPARENT a CHILD a\n",
    "# comment\nJOB a {\n  executable = x\n}\nJOB b @=END\n  executable = y\n@END\n",
    "SUBMIT-DESCRIPTION s {\n}\nFINAL z s\nSERVICE y s NOOP\nPROVISIONER p s\n",
    "PARENT a \\\n# comment\n  b \\\r\n CHILD c\nJOB a x \\\n\nJOB b y\nJOB c z\n",
    "SPLICE s seed.dag\nINCLUDE seed.dag\nSUBDAG EXTERNAL e seed.dag DIR d\n",
    "JOB a x\nJOB b y\nPIN_OUT a 1\nPIN_IN b 1\nCONNECT s t\nREJECT\n",
    "CONFIG c\nDOT d UPDATE\nENV SET X=1\nJOBSTATE_LOG l\nNODE_STATUS_FILE n 30\n",
    'JOB a x\nSET_JOB_ATTR A = "b"\nSAVE_POINT_FILE a s\nVARS ALL_NODES PREPEND x="1"\n',
    'JOB a "a b.sub" DIR "d e"\nSUBDAG EXTERNAL b "in.dag" NOOP\nSAVE_POINT_FILE a "s t"\n',
    'JOB a x\nVARS a PREPEND x = "say \\"so\\" \\\\" +y=1\nVARS a APPEND z="2"\n',
    "\\\nJOB a {\n}\n\\\n\\\n# c\nJOB b @=T\n@T\nPARENT a CHILD CHILD b\nTOLERANCE a 15 %\n",
    "JOB a x\\\ny\n",
    "JOB a \\\n",
    "JOB a {\n",
]

LOGS = [
    "000 (7.0.0) 2026-11-16 12:00:00 Job submitted from host: <h>\n    DAG Node: a\n...\n"
    "001 (7.0.0) 2026-11-16 12:00:03 Job executing on host: <h?x>\n\tSlotName: s\n...\n"
    "010 (7.0.0) 2026-11-16 12:00:04 Job was suspended.\n...\n"
    "011 (7.0.0) 2026-11-16 12:00:05 Job was unsuspended.\n...\n"
    "005 (7.0.0) 2026-11-16 12:00:09 Job terminated.\n\t(1) Normal termination (return value 0)\n",
    "001 (7.0.0) 12/31 23:59:59 Job executing on host: <h>\n...\n"
    "004 (7.0.0) 01/01 00:00:01 Job was evicted.\n\t(0) CPU times\n...\n"
    "009 (7.0.0) 01/01 00:00:02.5Z Job was aborted.\n...\n",
    '{\n  "EventTypeNumber": 1,\n  "Cluster": 7,\n  "Proc": 0,\n'
    '  "EventTime": "2026-11-16T12:00:00.123+01:00",\n  "SlotName": "s"\n}\n',
    '[\n{"ClusterId": 7, "DAGNodeName": "a", "JobStartDate": 5, "CompletionDate": 9,'
    ' "ExitCode": 0, "CommittedSuspensionTime": 1, "QDate": 2, "JobStatus": 4}\n]\n',
    'job,seconds\na,2\n"b*",3.5\n',
    "# times\na 0\nb\t1e3\n",
]


def main() -> None:
    """Write each file as a seed, and every word of theirs into libFuzzer's dictionary."""
    folder = Path(sys.argv[1])
    (folder / "seeds").mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(FILES):
        (folder / "seeds" / f"{number}.dag").write_bytes(text.encode())
    (folder / "read_logs").mkdir(exist_ok=True)
    for number, text in enumerate(LOGS):
        (folder / "read_logs" / f"seed{number}").write_bytes(text.encode())
    words = sorted(
        {word for text in [*FILES, *LOGS] for word in text.split()} | {" \\\n", "\r\n", "\n\n"}
    )
    quoted = ['"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"' for word in words]
    (folder / "words").write_text("\n".join(quoted) + "\n")


if __name__ == "__main__":
    main()
