#!/bin/sh
# Usage: wheel_check.sh PYTHON
# Makes the sdist, builds the wheel from the sdist alone, and uses it in a clean venv.
set -eu
python=$1
tools=$(cd "$(dirname "$0")" && pwd)
. "$tools/python_headers.sh"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM
"$python" -m venv "$place/venv"
pip="$place/venv/bin/python -m pip --quiet --disable-pip-version-check"
$pip install build
"$place/venv/bin/python" -m build --sdist --outdir "$place" . >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
"$place/venv/bin/python" "$tools/sdist_check.py" "$place"/icsched-*.tar.gz
$pip wheel --no-deps --wheel-dir "$place" "$place"/icsched-*.tar.gz
$pip install "$place"/icsched-*.whl
sh "$tools/wheel_try.sh" "$place/venv/bin/python"
