# Sourced by the build scripts: makes sure that Python.h can be found for $python.
#
# Debian keeps Python's C headers in a package of their own. Where they are missing and
# apt is there, fetch that package into .cache (no root, no change to the system) and
# point the build at it; otherwise the build itself says what to install.

headers_found() {
  "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

fetch_headers() {
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  headers=$PWD/.cache/python-headers
  if [ ! -e "$headers/usr/include/python$version/Python.h" ]; then
    echo "Python.h is missing: fetching Debian's libpython$version-dev into .cache" >&2
    mkdir -p "$headers/state/lists/partial" "$headers/cache/archives/partial" || return 1
    apt="apt-get -qq -o Dir::State=$headers/state -o Dir::State::status=/var/lib/dpkg/status
         -o Dir::Cache=$headers/cache -o APT::Sandbox::User=root"
    (cd "$headers" && $apt update && $apt download "libpython$version-dev" &&
      dpkg-deb -x libpython"$version"-dev_*.deb .) || return 1
  fi
  export SKBUILD_CMAKE_ARGS="-DPython_INCLUDE_DIR=$headers/usr/include/python$version"
  export CPLUS_INCLUDE_PATH="$headers/usr/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}"
}

if ! headers_found && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then
  fetch_headers || echo "could not fetch the headers; install python3-dev" >&2
fi
