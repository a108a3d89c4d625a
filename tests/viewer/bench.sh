#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The page's benchmark, see bench.mjs; make puts it into $BUILD/bench/bin as
# "viewer" for tests/bench/run, which gives it the name of the JSON file to write.
# Run from the checkout's top directory.
set -eu
CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
BUILD=${BUILD:-build}
export CHROMIUM BUILD
[ -x "$CHROMIUM" ] || { echo "viewer: $CHROMIUM is not installed: tests/deps.sh browser" >&2; exit 1; }
NODE_MODULES=$(templates/modules.sh)
export NODE_MODULES
exec node tests/viewer/bench.mjs "$@"
