#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the benchmark of the page (bench.mjs). make installs this script in $BUILD/bench/bin as
# "viewer" for tests/bench/run, which passes the name of the JSON file to write. Run it from the
# top of the checkout.
set -eu
CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
BUILD=${BUILD:-build}
export CHROMIUM BUILD
[ -x "$CHROMIUM" ] || { echo "viewer: $CHROMIUM is not installed: tests/deps.sh browser" >&2; exit 1; }
NODE_MODULES=$(templates/modules.sh)
export NODE_MODULES
exec node tests/viewer/bench.mjs "$@"
