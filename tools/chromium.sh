#!/bin/sh
# Usage: chromium.sh run|try COMMAND...
# Runs COMMAND with a real Chromium and exits as COMMAND does. Debian's packages are installed if
# they are missing, which takes half a minute. COMMAND finds the browser in ICSCHED_CHROMIUM and
# its driver in ICSCHED_CHROMEDRIVER.
# Where Chromium cannot be had, run exits 77; try says so loudly, and exits 0.
set -eu
packages="chromium chromium-driver"

loud() {
  printf '%s\n' "" "======== Chromium ========" "$@" "==========================" "" >&2
}

cannot() {
  loud "Chromium cannot be had here: $1." "It takes root on Debian, or both $packages in PATH."
  [ "$step" = try ] || exit 77
  loud "SKIPPED: no page was tested in a real browser; the reason is above."
  exit 0
}

is_there() {
  command -v chromium >/dev/null && command -v chromedriver >/dev/null
}

install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update && apt-get -qq install -y --no-install-recommends $packages
}

prepare() {
  is_there && return
  [ "$(id -u)" = 0 ] || cannot "not root"
  [ -e /etc/debian_version ] || cannot "not Debian"
  echo "installing $packages" >&2
  install >/dev/null || cannot "apt could not install $packages"
  is_there || cannot "$packages are installed and not in PATH"
}

step=${1:-help}
[ $# -eq 0 ] || shift
case $step in
  run | try)
    prepare
    ICSCHED_CHROMIUM=$(command -v chromium) ICSCHED_CHROMEDRIVER=$(command -v chromedriver)
    export ICSCHED_CHROMIUM ICSCHED_CHROMEDRIVER
    exec "$@"
    ;;
  *) sed -n '2,6s/^# //p' "$0" >&2 && exit 2 ;;
esac
