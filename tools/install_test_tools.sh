#!/usr/bin/env bash
# Installs what some tests use, where that is possible without asking; says plainly what will be skipped otherwise.
set -u
cd "$(dirname "$0")"
./install_programs.sh tshark:tshark chromium:chromium
./other_programs.sh
