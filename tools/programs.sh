#!/bin/sh
# Usage: programs.sh PROGRAM...
# Installs Debian's packages of the programs that are missing, which tests use.
# Where they cannot be had, it says so loudly, and exits 77.
set -eu

cannot() {
  printf '%s\n' "" "======== programs ========" "$missing cannot be had here: $1." \
    "It takes root on Debian, or all of $wanted in PATH." "==========================" "" >&2
  exit 77
}

package_of() {
  case $1 in
    chromedriver) echo chromium-driver ;;
    dot) echo graphviz ;;
    groff) echo groff-base ;;
    *) echo "$1" ;;
  esac
}

find_missing() {
  missing=
  for program in $wanted; do
    command -v "$program" >/dev/null || missing="$missing${missing:+ }$program"
  done
}

# Another apt may be at work, and holds a lock: apt-get update does not wait for it, so we do.
update() {
  for attempt in 1 2 3 4 5 6 7 8 9 10 11 12; do
    apt-get -qq update && return
    sleep 10
  done
  return 1
}

# One by one, so that a package that apt does not know keeps no other one away.
install() {
  export DEBIAN_FRONTEND=noninteractive
  update || cannot "apt-get update failed"
  for package in "$@"; do
    apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$package" || true
  done
}

wanted=$*
find_missing
[ -n "$missing" ] || exit 0
[ "$(id -u)" = 0 ] || cannot "not root"
[ -e /etc/debian_version ] || cannot "not Debian"
packages=$(for program in $missing; do package_of "$program"; done)
echo "installing" $packages >&2
install $packages >/dev/null
find_missing
[ -z "$missing" ] || cannot "apt could not install them, or not into PATH"
