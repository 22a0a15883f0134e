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

begun=$(date +%s)
log=build/install.log
mkdir -p build

# Says what is going on, and since when.
tell() {
  printf '[%3d s] %s\n' "$(($(date +%s) - begun))" "$*"
}

# Reads what pip says, and tells a step of it every few seconds.
follow() {
  last=0
  while IFS= read -r line; do
    case $line in
    *"Collecting "*) step="fetching ${line#*Collecting }" ;;
    *"] Building CXX object"*)
      step=${line%%]*}
      step="compiling the C++ core, file ${step##*\[}"
      ;;
    *"Installing collected packages"*) step="installing packages" ;;
    *) continue ;;
    esac
    now=$(date +%s)
    [ $((now - last)) -lt 3 ] && continue
    last=$now
    tell "${step%% (from*}"
  done
}

tell "installing $what into $venv takes minutes the first time; $log has all that pip says"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
{
  code=0
  "$venv/bin/python" -m pip install --verbose --disable-pip-version-check --editable "$what" 2>&1 ||
    code=$?
  echo "$code" >"$log.status"
} | tee "$log" | follow
if [ "$(cat "$log.status")" != 0 ]; then
  tail -n 30 "$log" >&2
  fail "pip failed; $log has all that it said"
fi
tell "installed"
