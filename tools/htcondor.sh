#!/bin/sh
# Usage: htcondor.sh run|try COMMAND...
# Runs COMMAND beside a real HTCondor pool of one machine and exits as COMMAND does. The pool
# lives in a chroot, ICSCHED_HTCONDOR_ROOT to COMMAND, under $ICSCHED_CACHE or .cache/htcondor.
# It is made once, from the archive that this machine's apt uses. If that takes longer than
# $ICSCHED_HTCONDOR_SECONDS, by default 300, the next run goes on where this one stopped.
# Where HTCondor cannot be had, run exits 77; where the pool does not come up, 78. Both are 0
# to try, which says so loudly.
#
# Whatever mounts or starts something runs in namespaces of its own. So nothing is mounted for
# the rest of the machine, which gets an empty directory in /run. COMMAND sees no network but the
# pool's loopback, and when the first process in there ends, however it comes, the kernel ends all
# the others.
set -eu
suite=trixie # its minicondor is HTCondor 23.9.6
packages="minicondor iproute2 libfaketime"
here=$(cd "$(dirname "$0")" && pwd)
cache=${ICSCHED_CACHE:-${here%/*}/.cache/htcondor}
root=$cache/$suite
seconds=${ICSCHED_HTCONDOR_SECONDS:-300}
# Where COMMAND and the pool see the chroot, wherever the cache lies: DAGMan refuses logs in /tmp.
seen=/run/icsched-htcondor

loud() {
  printf '%s\n' "" "======== HTCondor ========" "$@" "==========================" "" >&2
}

give_up() {
  [ "$step" = try ] || exit "$1"
  loud "SKIPPED: nothing was tested against a real HTCondor; the reason is above."
  exit 0
}

cannot() {
  loud "HTCondor cannot be had here: $1." \
    "It takes root on Debian, with namespaces and an archive that has $suite."
  give_up 77
}

# contained [OPTION...] COMMAND...: in namespaces, and it dies with us even if we are killed.
contained() {
  setpriv --pdeathsig KILL unshare --mount --pid --mount-proc --fork --kill-child "$@" &
  keeper=$!
  ended=0
  wait "$keeper" || ended=$?
  keeper=
  return $ended
}

# The keeper ends only when all that its child had started is gone.
stop() {
  if [ -n "${keeper:-}" ]; then
    child=$(cat "/proc/$keeper/task/$keeper/children" 2>/dev/null) || true
    kill -KILL ${child:-$keeper} 2>/dev/null || true
    wait "$keeper" || true
  fi
  trap - "$1"
  kill -"$1" $$
}

check_machine() {
  [ "$(id -u)" = 0 ] || cannot "not root"
  [ -e /etc/debian_version ] || cannot "not Debian"
  unshare --mount --pid --net --fork true || cannot "no namespaces"
}

lock_cache() {
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock --nonblock 9 || { echo "waiting for another run of HTCondor to end" >&2 && flock 9; }
}

# Preparing

find_debootstrap() {
  command -v debootstrap >/dev/null && return
  { apt-get update && apt-get install -y --no-install-recommends debootstrap; } \
    >"$cache/log" 2>&1 || cannot "debootstrap is missing and could not be installed"
}

# The address of this machine's archive, as apt knows it.
archive() {
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  address=$(apt-get --print-uris update |
    sed -nE "s#^'(.*)/dists/($release|stable)/InRelease'.*#\1#p" | head -n 1)
  case $address in
    mirror+file:*) head -n 1 "${address#mirror+file:}" ;;
    *) echo "${address:?apt names no archive of Debian $release}" ;;
  esac
}

# What this machine needs to reach the archive, the chroot needs too.
copy_network_settings() {
  mkdir -p "$root/etc/ssl/certs" "$root/etc/apt/apt.conf.d" "$root/etc/apt/auth.conf.d"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" || true
  cp -L /etc/apt/auth.conf.d/* "$root/etc/apt/auth.conf.d/" || true
  apt-config dump Acquire | grep -E '^Acquire::(https?|Retries|Check-|Force)' \
    >"$root/etc/apt/apt.conf.d/00host" || true
}

# once STEP: run a function, unless an earlier run has come to its end for these packages.
once() {
  [ "$(cat "$root/made/$1" 2>/dev/null)" != "$packages" ] || return 0
  "$1"
  mkdir -p "$root/made"
  echo "$packages" >"$root/made/$1"
}

# debootstrap cannot go on with half a chroot, but finds again what it has fetched.
make_base() {
  rm -rf --one-file-system "$root"
  mkdir -p "$cache/debs"
  debootstrap --variant=minbase --cache-dir="$(cd "$cache/debs" && pwd)" "$suite" "$root" \
    "$(archive)"
  copy_network_settings
}

fetch_packages() {
  chroot "$root" apt-get update
  chroot "$root" apt-get install -y --no-install-recommends --download-only $packages
}

install_packages() {
  chroot "$root" dpkg --configure -a # what an earlier run was killed in
  chroot "$root" apt-get install -y --no-install-recommends $packages
  chroot "$root" apt-get clean
}

make_root() {
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  export http_proxy https_proxy DEBIAN_FRONTEND=noninteractive
  once make_base
  mount_system
  once fetch_packages
  once install_packages
  chroot "$root" id tester || chroot "$root" useradd --create-home tester
  rm -rf "$cache/debs"
}

mount_system() {
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm" # the devices are debootstrap's own
}

# The stamp says what a whole chroot holds; without it, or with another, it is made.
prepare() {
  [ "$(cat "$root/stamp" 2>/dev/null)" != "$packages" ] || return 0
  find_debootstrap
  ! grep -F " $root/" /proc/self/mounts >&2 || cannot "something is mounted in $root"
  echo "preparing HTCondor in $root, which takes a minute or two" >&2
  ended=0
  contained timeout "$seconds" sh "$0" make-root >"$cache/log" 2>&1 || ended=$?
  [ "$ended" != 124 ] || too_slow
  [ "$ended" = 0 ] || {
    tail -n 20 "$cache/log" >&2
    cannot "the chroot could not be made, says $cache/log"
  }
  echo "$packages" >"$root/stamp"
}

too_slow() {
  tail -n 3 "$cache/log" >&2
  loud "HTCondor is not there yet: after $seconds s the chroot was not made." \
    "Run this again: it goes on where it stopped. ICSCHED_HTCONDOR_SECONDS sets another limit."
  give_up 77
}

# Running

configure() {
  cat >"$root/etc/condor/config.d/90-icsched" <<'END'
# The kernel is everybody's: its settings stay as they are.
ENABLE_KERNEL_TUNING = False
# A chroot cannot mount for its jobs.
MOUNT_UNDER_SCRATCH =
# Without these each job waits for somebody's next round.
SCHEDD_INTERVAL = 1
SCHEDD_MIN_INTERVAL = 0
NEGOTIATOR_CYCLE_DELAY = 0
NEGOTIATOR_MIN_INTERVAL = 0
NUM_CPUS = 8
DAGMAN_USER_LOG_SCAN_INTERVAL = 1
# For fast_dagman, whose timeouts would be shorter too.
DAGMAN_TIMEOUT_MULTIPLIER = 20
END
  # DAGMan reads its log once a second at best, and needs two readings a job. A clock that runs
  # 20 times faster takes two minutes off a small dag, and changes no decision.
  cat >"$root/usr/local/bin/fast_dagman" <<'END'
#!/bin/sh
export LD_PRELOAD='/usr/$LIB/faketime/libfaketime.so.1' FAKETIME='+0 x20'
exec condor_dagman "$@"
END
  chmod +x "$root/usr/local/bin/fast_dagman"
}

# The queue and the sockets are in memory: quicker, and gone with the namespace.
start_pool() {
  mkdir -p "$root/var/spool/condor"
  mount -t tmpfs tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/var/spool/condor"
  rm -rf "$root"/var/log/condor "$root"/home/tester/*
  chroot "$root" install -d -o condor -g condor /run/condor /run/lock/condor \
    /var/log/condor /var/spool/condor /var/lib/condor/execute
  chroot "$root" condor_master || true # the logs will say
}

pool_is_up() {
  [ -n "$(chroot "$root" condor_status -af Name 2>/dev/null)" ] &&
    chroot "$root" condor_q >/dev/null 2>&1
}

await_pool() {
  deadline=$(($(date +%s) + 60))
  until pool_is_up; do
    [ "$(date +%s)" -lt $deadline ] || {
      (cd "$root/var/log/condor" && tail -n 20 MasterLog CollectorLog SchedLog StartLog) >&2 || true
      loud "The pool did not come up within 60 s; its logs are above."
      exit 78
    }
    sleep 0.2
  done
}

run_beside_pool() {
  mkdir -p "$seen"
  mount --bind "$root" "$seen"
  root=$seen
  mount_system
  chroot "$root" ip link set lo up
  configure
  start_pool
  await_pool
  ICSCHED_HTCONDOR_ROOT=$root "$@"
}

step=${1:-help}
[ $# -eq 0 ] || shift
case $step in
  run | try)
    for signal in INT TERM HUP; do trap "stop $signal" $signal; done
    check_machine
    lock_cache
    prepare
    status=0
    contained --net sh "$0" beside-pool "$@" || status=$?
    [ "$status" != 78 ] || give_up 78
    exit "$status"
    ;;
  make-root) make_root ;;
  beside-pool) run_beside_pool "$@" ;;
  *) sed -n '2,9s/^# //p' "$0" >&2 && exit 2 ;;
esac
