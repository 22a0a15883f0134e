#!/bin/sh
# Usage: run.sh SECONDS PLACE TARGET COMMAND...
# Runs COMMAND, a libFuzzer program, for SECONDS on the seeds and words in PLACE, and says
# how many inputs it tried and whether one broke it. Its corpus and log stay in PLACE.
set -eu
seconds=$1 place=$2 target=$3
shift 3

# A target may write a file for each input: into memory, and gone when it ends, however it does.
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT INT TERM

mkdir -p "$place/$target"
status=0
"$@" -max_total_time="$seconds" -timeout=10 -max_len=4096 -dict="$place/words" \
  -print_final_stats=1 -artifact_prefix="$place/$target-" \
  "$place/$target" "$place/seeds" >"$place/$target.log" 2>&1 || status=$?
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$place/$target.log")
if [ "$status" != 0 ]; then
  tail -n 40 "$place/$target.log"
  echo "$target: ${executions:-no} executions, 1 finding, above and in $place/$target.log"
  exit 1
fi
echo "$target: $executions executions in $seconds s, no findings"
