#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
# ci
#
# Calls of spantoprof and spandiff, of all golden traces, against tests/viewer/callsof.mjs, which joins
# them by the same rules (docs/design/reconstruction.md) in another way: count, cut off, on CPU, elapsed, longest, p50, p99.
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
