#!/bin/sh
# Usage: chromium.sh run|try COMMAND...
# Runs COMMAND with a real Chromium and exits as COMMAND does. Debian's packages are installed if
# they are missing, which takes half a minute. COMMAND finds the browser in ICSCHED_CHROMIUM and
# its driver in ICSCHED_CHROMEDRIVER.
# Where Chromium cannot be had, run exits 77; try says so loudly, and exits 0.
set -eu

cannot() {
  [ "$step" = try ] || exit 77
  printf '%s\n' "SKIPPED: no page was tested in a real browser; the reason is above." "" >&2
  exit 0
}

step=${1:-help}
[ $# -eq 0 ] || shift
case $step in
  run | try)
    sh "$(dirname "$0")/programs.sh" chromium chromedriver || cannot
    ICSCHED_CHROMIUM=$(command -v chromium) ICSCHED_CHROMEDRIVER=$(command -v chromedriver)
    export ICSCHED_CHROMIUM ICSCHED_CHROMEDRIVER
    exec "$@"
    ;;
  *) sed -n '2,6s/^# //p' "$0" >&2 && exit 2 ;;
esac
