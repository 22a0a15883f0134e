#!/bin/sh
# Makes sure that there is a clang++ with libFuzzer; installs it when root on Debian.
set -eu
packages="clang libclang-rt-dev"

has_fuzzer() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined - -o /dev/null 2>/dev/null
}

install() {
  echo "installing $packages" >&2
  apt-get -qq update && apt-get -qq install -y --no-install-recommends $packages
}

has_fuzzer && exit
[ "$(id -u)" != 0 ] || [ ! -e /etc/debian_version ] || install >/dev/null || true
has_fuzzer || {
  echo "icsched: fuzzing needs clang++ with libFuzzer; on Debian: apt-get install $packages" >&2
  exit 1
}
