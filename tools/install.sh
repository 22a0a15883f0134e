#!/bin/sh
# Usage: install.sh PYTHON VENV WHAT
# Makes VENV if need be and installs WHAT (".", ".[test]", ...) into it, editable.
set -eu
python=$1 venv=$2 what=$3

fail() {
  echo "icsched: $*" >&2
  exit 1
}

command -v "$python" >/dev/null || fail "needs Python 3.11 or later, found no '$python'"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "needs Python 3.11 or later, '$python' is $("$python" -V 2>&1)"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
  fail "needs Python's venv module; on Debian: apt-get install python3-venv"
[ -z "${CXX:-}" ] || command -v "${CXX%% *}" >/dev/null || fail "CXX is '$CXX', which was not found"
command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
  fail "needs a C++20 compiler and found none; on Debian: apt-get install g++"

. "$(dirname "$0")/python_headers.sh"

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$what"
