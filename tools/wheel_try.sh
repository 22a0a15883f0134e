#!/bin/sh
# Usage: wheel_try.sh PYTHON
# Uses the icsched that is installed for PYTHON as a stranger would, outside the tree.
set -eu
python=$(command -v "$1")
icsched=$(dirname "$python")/icsched

fail() {
  echo "wheel check: $*" >&2
  exit 1
}

tried=$(mktemp -d)
trap 'rm -rf "$tried"' EXIT INT TERM
cd "$tried"
version=$("$python" -c 'from importlib.metadata import version; print(version("icsched"))')
[ "$("$icsched" --version)" = "icsched $version" ] || fail "expected icsched --version to say $version"
[ "$("$python" -c 'import icsched; print(icsched.__version__)')" = "$version" ] ||
  fail "expected icsched.__version__ to be $version"
"$icsched" make airsn 10 -o x.dag
[ "$(grep -c '^JOB ' x.dag)" = 53 ] || fail "expected 53 jobs in x.dag"
"$icsched" prio x.dag --order prio | grep -q "IC-optimal" || fail "expected an IC-optimal order of x.dag"
"$python" -c 'import icsched; icsched.best_batch(icsched.read("x.dag").dag, [], 3, method="exact")' ||
  fail "expected a batch by OR-tools"
"$python" - <<'END' || fail "expected run_members.sh, page.html and the scheduler of Snakemake"
import pkgutil
from importlib.resources import files

# Snakemake looks for its plugins like this; an editable install hides them.
assert "snakemake_scheduler_plugin_icsched" in [found.name for found in pkgutil.iter_modules()]
assert list(files("icsched").glob("**/run_members.sh"))
assert files("icsched").joinpath("report/page.html").is_file()
END
"$python" -c 'import pathlib, sys; pathlib.Path(sys.prefix, "share/man/man1/icsched.1").read_text()' ||
  fail "expected the manual page"
echo "icsched $version works"
