#!/usr/bin/env bash
# The programs that docs/opening.md opens a dataset with and that are no dependency of winf, in target/opening: pandas, by
# which `make test` reads every table; with --all Spark as well, and R and Java where they can be installed without asking.
set -u
cd "$(dirname "$0")/.."
pins=tests/docs/requirements.txt
environment=target/opening
packages=(pandas pyarrow)
[ "${1:-}" = --all ] && packages+=(pyspark)
if ! { [ -f "$environment/installed" ] && [ "$(cat "$environment/installed")" = "${packages[*]} $(cksum < "$pins")" ]; }; then
    echo "Installing ${packages[*]} into $environment ..."
    "${PYTHON:-python3}" -m venv "$environment" &&
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --constraint "$pins" "${packages[@]}" &&
        echo "${packages[*]} $(cksum < "$pins")" > "$environment/installed" ||
        echo "${packages[*]} could not be installed: the tests that need them are skipped."
fi
[ "${1:-}" = --all ] || exit 0
tools/install_programs.sh Rscript:r-base-core java:default-jre-headless
