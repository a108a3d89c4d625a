#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the expected outputs of tests/golden anew from its traces, with the
# filters in build/bin. Look at the difference before you commit it: every changed
# line is a changed picture. With a file as argument, that trace becomes the
# recorded one first.
#
#	tests/golden/regenerate.sh [build/demo/demo.trace]
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${BUILD:-build}/bin
GOLDEN=tests/golden

if [ $# -gt 0 ]; then
	xz -9c "$1" >$GOLDEN/stock.trace.xz
fi
for trace in "$GOLDEN"/*.trace.xz; do
	name=${trace%.trace.xz}
	xz -dc "$trace" >"$name.trace"
	TZ=UTC "$BIN/rawtoevent" "$name.trace" >"$name.events" 2>/dev/null
	"$BIN/eventtospan" "golden" <"$name.events" 2>/dev/null | LC_ALL=C sort >"$name.json"
	rm "$name.trace"
	xz -9f "$name.events" "$name.json"
done
