#!/bin/sh
# Usage: run-members CLUSTER
# Runs the jobs that CLUSTER.members lists, one after the other, and stops at the first that
# fails, with its exit code. Made by icsched.
#
# CLUSTER.log       a line at the start and the end of each job
# CLUSTER.journal   a line for each job that ended well; a restart goes on after those. It is
#                   removed when all have: to run such a cluster again is to run all of it.
#
# What the list says is data: nothing of it is ever evaluated. Names of files are relative to
# the directory that this script is started in.
#
# Each job gets the environment that this script was started with, byte for byte. A shell hands
# on something else: dash drops variables such as my.var, every shell sets IFS, PWD and more, and
# the variables of this script would shadow the job's own. So the script reads the environment
# from /proc and starts each job by `env -i`, with no shell between. Where there is no such file,
# it refuses to run.
set -u

refuse() {
  printf 'run-members: %s\n' "$2" >&2
  exit "$1"
}

[ $# = 1 ] || refuse 64 "expected one argument, such as out.dag.clusters/cluster_0001, got $#"
cluster=$1
[ -r "$cluster.members" ] ||
  refuse 66 "$cluster.members: expected a list of members; start this from the directory in which icsched ran"
[ -r /proc/self/environ ] ||
  refuse 69 "/proc/self/environ: expected to read the environment there, to hand it on unchanged"
case $cluster in
  /*) ;;
  *) cluster=./$cluster ;; # else a name such as -x would be an option
esac
# From here on the environment is this script's own: no member sees it.
PATH=/usr/bin:/bin${PATH:+:$PATH}
LC_ALL=C # bytes are bytes, also those that are not UTF-8
export PATH LC_ALL
# Functions that bash takes from the environment.
unset -f awk cd command date env grep kill nice od printf pwd read rm wait 2>/dev/null
start=$(pwd)
stopped=
child=
number=0
has_journal=

say() {
  printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$cluster.log"
}

give_up() {
  printf 'run-members: %s\n' "$2" >&2
  say "$2"
  exit "$1"
}

# What cannot be written is no fault of a member.
note() {
  say "$1" || refuse 74 "cannot write $cluster.log"
}

# A member ends before its cluster does, and what is stopped never counts as done.
stop() {
  stopped=1
  [ -z "$child" ] || kill -s TERM "$child" 2>/dev/null
}

path_of() {
  case $1 in
    /*) path=$1 ;;
    *) path=$start/$1 ;;
  esac
}

# A line for each variable, each of its bytes as \ooo.
environment_lines() {
  od -An -v -to1 <&4 |
    awk '{ for (i = 1; i <= NF; i++) if ($i == "000") print ""; else printf "\\%s", $i }
      END { print "end" }'
}

# A line that a crash cut short is no whole line of any member: it counts for nothing.
has_ended_well() {
  [ -n "$has_journal" ] && grep -F -x -q -e "$number $name" -- "$cluster.journal"
}

# In a process of its own, which becomes the member.
become() {
  trap - TERM INT HUP
  exec 3<&- <"$input" >"$output" || exit 1
  if [ "$error" = "$output" ]; then exec 2>&1; else exec 2>"$error" || exit 1; fi
  path_of "$directory"
  cd "$path" && exec "$@"
}

run() {
  [ -z "$stopped" ] || give_up 143 "stopped before $name"
  note "start $name"
  began=$(date +%s)
  become "$@" &
  child=$!
  [ -z "$stopped" ] || stop # it came before there was a child
  wait "$child"
  code=$?
  if [ -n "$stopped" ]; then
    wait "$child" 2>/dev/null
    give_up 143 "stopped $name"
  fi
  child=
  say "end $name exit code $code seconds $(($(date +%s) - began))"
  [ "$code" = 0 ] || give_up "$code" "job $name failed with exit code $code"
  printf '%s\n' "$number $name" >>"$cluster.journal" ||
    give_up 74 "cannot write $cluster.journal"
}

# Reads the next member and runs it; the arguments are the command that it is to follow.
next_member() {
  while IFS= read -r line <&3; do
    value=${line#* }
    case ${line%% *} in
      member)
        name=$value
        number=$((number + 1))
        ;;
      directory) directory=$value ;;
      input) input=$value ;;
      output) output=$value ;;
      error) error=$value ;;
      environment) set -- "$@" "$value" ;;
      executable)
        path_of "$value"
        case $path in
          *=*) set -- "$@" "$nice" -n 0 "$path" ;; # env would take it for a variable
          *) set -- "$@" "$path" ;;
        esac
        ;;
      argument) set -- "$@" "$value" ;;
      run)
        if has_ended_well; then note "skip $name, which ended well"; else run "$@"; fi
        return
        ;;
      end)
        rm -f -- "$cluster.journal" || give_up 74 "cannot remove $cluster.journal"
        exit 0
        ;;
      *) break ;;
    esac
  done
  give_up 65 "expected a whole list of members in $cluster.members"
}

trap stop TERM INT HUP
exec 3<"$cluster.members" || exit 66
if [ -e "$cluster.journal" ]; then
  has_journal=1
  printf '\n' >>"$cluster.journal" || give_up 74 "cannot write $cluster.journal"
fi
exec 4</proc/self/environ || exit 69 # opened here and not by a child, which is another "self"
nice=$(command -v nice)
set -- "$(command -v env)" -i --
line=
while IFS= read -r line; do
  [ "$line" != end ] || break
  value=$(printf "${line}.") # the full stop saves line ends, which $() would drop
  case $value in
    =*) ;; # without a name it is no variable, and without a = neither
    *=*) set -- "$@" "${value%.}" ;;
  esac
done <<EOF
$(environment_lines)
EOF
exec 4<&-
[ "$line" = end ] || give_up 69 "cannot read the environment from /proc/self/environ"
while :; do next_member "$@"; done
