#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The page in a real browser: builds it, type-checks its source, and runs
# run.mjs, which prints the TAP. Skips when there is no Chromium or no Node.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
export BUILD

skip_all()
{
	echo "ok 1 - viewer # SKIP $1"
	echo "1..1"
	exit 77
}

command -v node >/dev/null 2>&1 || skip_all "node is not installed"
CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
export CHROMIUM
[ -x "$CHROMIUM" ] || skip_all "$CHROMIUM is not installed"
make -s BUILD="$BUILD" template "$BUILD/bin/makeself" >&2
NODE_MODULES=$(templates/modules.sh)
export NODE_MODULES
exec node tests/viewer/run.mjs
