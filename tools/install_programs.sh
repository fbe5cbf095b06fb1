#!/usr/bin/env bash
# install_programs.sh PROGRAM:PACKAGE...: installs Debian packages of programs that are missing, where that is possible
# without asking; says plainly what will be skipped otherwise.
set -u
for each in "$@"; do
    program=${each%%:*} package=${each##*:}
    command -v "$program" >/dev/null && continue
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $package ..."
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package"; } \
            >/dev/null 2>&1 && continue
    fi
    echo "$program is not installed: the tests that need it are skipped (on Debian: sudo apt install $package)."
done
exit 0
