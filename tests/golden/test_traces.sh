#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Recorded traces to exact output: *.trace.xz through the filters gives
# *.events.xz and *.json.xz, to the byte. regenerate.sh makes those anew.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

for trace in tests/golden/*.trace.xz; do
	name=$(basename "$trace" .trace.xz)
	xz -dc "$trace" >"$TAP_TMP/trace"
	xz -dc "tests/golden/$name.events.xz" >"$TAP_TMP/want.events"
	xz -dc "tests/golden/$name.json.xz" >"$TAP_TMP/want.json"

	TZ=UTC "$BIN/rawtoevent" "$TAP_TMP/trace" >"$TAP_TMP/events" 2>"$ERR"
	if cmp -s "$TAP_TMP/events" "$TAP_TMP/want.events"; then
		pass "$name: event text"
	else
		fail "$name: event text" "$(diff "$TAP_TMP/want.events" "$TAP_TMP/events" | head -n 20)"
	fi
	sort -n "$TAP_TMP/events" | "$BIN/eventtospan" "golden" 2>"$ERR" |
		LC_ALL=C sort >"$TAP_TMP/json"
	if cmp -s "$TAP_TMP/json" "$TAP_TMP/want.json"; then
		pass "$name: span JSON"
	else
		fail "$name: span JSON" "$(diff "$TAP_TMP/want.json" "$TAP_TMP/json" | head -n 20)"
	fi
	run "$TAP_TMP/trace" "$BIN/checktrace" --strict
	is "$name: checktrace --strict" "$STATUS" 0
	unlike "$name: no gap, no overlap" "$(grep '^CPU' "$OUT")" \
		'[1-9][0-9]* gaps|[1-9][0-9]* overlaps|covered [0-9]{1,2}\.'
done

tap_end
