#!/usr/bin/env bash
# Installs what some tests use, where that is possible without asking; says plainly what will be skipped otherwise.
set -u
for tool in tshark chromium; do
    command -v "$tool" >/dev/null && continue
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $tool ..."
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$tool"; } \
            >/dev/null 2>&1 && continue
    fi
    echo "$tool is not installed: the tests that need it are skipped (on Debian: sudo apt install $tool)."
done
"$(dirname "$0")/other_programs.sh"
