#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# fast
#
# Tests the exact output of all filters for recorded traces: the outputs for *.trace.xz must equal *.events.xz,
# *.json.xz and *.reports byte by byte. The traces are of a stock and a patched kernel, with 2 and 4 CPUs, complete
# and wrapped (with KUTRACE_FAST, two of the eight). regenerate.sh makes the outputs again, and record.sh the traces.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
. tests/golden/outputs.inc

# same NAME WANTED GOT
same()
{
	if cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" | head -n 20)"
	fi
}

"$BIN/rawtohtml" --json <(xz -dc tests/golden/stock.trace.xz) >"$TAP_TMP/stock.json" 2>"$ERR"
for name in $(golden_names); do
	dir=$TAP_TMP/$name
	if [ ! -f "tests/golden/$name.trace.xz" ]; then
		fail "$name: there is a trace"
		continue
	fi
	golden_outputs "tests/golden/$name.trace.xz" "$TAP_TMP/stock.json" "$dir"
	for what in events json; do
		xz -dc "tests/golden/$name.$what.xz" >"$dir/want"
		same "$name: $what" "$dir/want" "$dir/$what"
	done
	cp "tests/golden/$name.reports" "$dir/want"
	[ -x "$BIN/samptoname" ] || skip "$name: samptoname" "it is not built: no elfutils"
	if [ ! -x "$BIN/samptoname" ]; then
		sed -i '/^== samptoname/,$d' "$dir/want" "$dir/reports"
	fi
	same "$name: the other filters" "$dir/want" "$dir/reports"

	# the spans must also be right, not only equal to the stored spans
	run "$dir/trace" "$BIN/checktrace" --strict
	is "$name: checktrace --strict" "$STATUS" 0
	unlike "$name: no gap, no overlap" "$(grep '^CPU' "$OUT")" \
		'[1-9][0-9]* gaps|[1-9][0-9]* overlaps|covered [0-9]{1,2}\.'
	is "$name: CPUs" "$(grep -c '^CPU' "$OUT")" "$(case $name in *4cpu*) echo 4 ;; *) echo 2 ;; esac)"
	is "$name: wrapped" "$(grep -c 'blocks, wrapped' "$OUT")" "$(case $name in *wrap) echo 1 ;; *) echo 0 ;; esac)"
	sums=$(grep -A 1 -e '^== rawtohtml --json --title' -e '^== .* | unmakeself' "$dir/reports" |
		grep '^[0-9]' | sort -u)
	is "$name: one process, and a page taken apart, give the pipeline's JSON" "$sums" \
		"$(cksum <"$dir/json")"
done

tap_end
