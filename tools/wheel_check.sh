#!/bin/sh
# Usage: wheel_check.sh PYTHON
# Builds the wheel and uses it as a stranger would: in a clean venv, outside the tree.
set -eu
python=$1
. "$(dirname "$0")/python_headers.sh"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM
"$python" -m venv "$place/venv"
pip="$place/venv/bin/python -m pip --quiet --disable-pip-version-check"
$pip wheel --no-deps --wheel-dir "$place" .
$pip install "$place"/icsched-*.whl
cd "$place"
venv/bin/icsched --version
venv/bin/icsched make airsn 10 -o x.dag
[ "$(grep -c '^JOB ' x.dag)" = 53 ] || { echo "wheel check: expected 53 jobs in x.dag" >&2; exit 1; }
[ -n "$(find venv -name run_members.sh)" ] || { echo "wheel check: expected run_members.sh" >&2; exit 1; }
[ -n "$(find venv -path "*render/report/page.html")" ] || { echo "wheel check: expected page.html" >&2; exit 1; }
# Snakemake looks for its plugins like this; an editable install hides them.
venv/bin/python -c 'import pkgutil; [found for found in pkgutil.iter_modules() if found.name == "snakemake_scheduler_plugin_icsched"][0]' ||
  { echo "wheel check: expected the scheduler of Snakemake" >&2; exit 1; }
