#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the expected outputs of tests/golden again from its traces, with the filters in
# build/bin: events, span JSON, and the reports of the other filters (outputs.inc). Examine the
# difference before you commit it: each changed line changes the picture. record.sh records
# the traces themselves.
#
#	tests/golden/regenerate.sh [NAME...]
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${BUILD:-build}/bin
GOLDEN=tests/golden
. $GOLDEN/outputs.inc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# the trace with which spandiff compares every trace
"$BIN/rawtohtml" --json <(xz -dc $GOLDEN/stock.trace.xz) >"$work/stock.json" 2>/dev/null
if [ $# = 0 ]; then
	set -- $GOLDEN/*.trace.xz
	set -- "${@##*/}"
	set -- "${@%.trace.xz}"
fi
for name; do
	golden_outputs "$GOLDEN/$name.trace.xz" "$work/stock.json" "$work/$name"
	# unchanged files keep their bytes, even if today's xz compresses differently
	for what in events json; do
		xz -dc "$GOLDEN/$name.$what.xz" 2>/dev/null | cmp -s - "$work/$name/$what" ||
			xz -9c "$work/$name/$what" >"$GOLDEN/$name.$what.xz"
	done
	cp "$work/$name/reports" "$GOLDEN/$name.reports"
done
