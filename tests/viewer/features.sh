#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# The page's tables and tools in a real browser: tables.mjs and tools.mjs, as
# one TAP. Skips when there is no Chromium or no Node.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
export BUILD

skip_all()
{
	echo "ok 1 - viewer features # SKIP $1"
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
exec node tests/viewer/features.mjs
