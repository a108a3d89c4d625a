#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
# ci
#
# Tests the calls of spantoprof and spandiff on all golden traces against tests/viewer/callsof.mjs, a second program
# with the same rules (docs/design/reconstruction.md). Compares the numbers of calls and of cut calls, time on CPU, elapsed
# time, longest, p50 and p99.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

if ! command -v node >/dev/null || ! command -v xz >/dev/null; then
	skip "calls" "no node or no xz"
	tap_end
fi
before=
for trace in tests/golden/*.json.xz; do
	name=$(basename "$trace" .json.xz)
	json=$TAP_TMP/$name.json
	xz -dc "$trace" >"$json"
	run "$json" "$BIN/spantoprof" --json
	is "$name: spantoprof" "$(node tests/viewer/reports.mjs "$json" "$OUT" 2>&1)" ""
	if [ "$before" ]; then
		run /dev/null "$BIN/spandiff" --json "$before" "$json"
		is "$name: spandiff, with $(basename "$before" .json)" "$(node tests/viewer/reports.mjs "$before" "$OUT" "$json" 2>&1)" ""
	fi
	before=$json
done
tap_end
