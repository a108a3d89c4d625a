#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests spantospeedscope: the common checks; frames open and close in order of time and nest; and each
# thread and each kernel call has the same time on each CPU as in the spans.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
TOOL=$BIN/spantospeedscope
common_checks spantospeedscope "$DATA/good.json"

# flat FILE: prints frames as "frame NUMBER NAME" and events as "event CPU TYPE TIME FRAME".
flat()
{
	awk '
	/"type":"evented"/ { cpu = $0; sub(/.*"name":"CPU /, "", cpu); sub(/".*/, "", cpu); next }
	/^"shared"/ { frames = 1; next }
	/^\{"name":/ && frames { name = $0; sub(/^\{"name":"/, "", name); sub(/"\},?$/, "", name); print "frame", n++, name; next }
	/^\{"type":"[OC]"/ { split($0, f, /[:,}"]+/); print "event", cpu, f[3], f[5], f[7] }' "$1"
}
# sums FILE: prints "CPU THREAD CALL NS" of the profile without idle threads, and lines for errors.
sums()
{
	flat "$1" >"$TAP_TMP/flat"
	awk '
	NR == FNR { if ($1 == "frame") { k = $2; $1 = $2 = ""; sub(/^ +/, ""); name[k] = $0 }; next }
	$1 != "event" { next }
	{
		c = $2
		if ($4 + 0 < time[c]) print "odd: back in time", $0
		if (depth[c]) sum[c " " name[stack[c, 1]] " " (depth[c] > 1 ? name[stack[c, 2]] : "user")] += $4 - time[c]
		time[c] = $4 + 0
		if ($3 == "O") stack[c, ++depth[c]] = $5
		else if (stack[c, depth[c]] != $5) print "odd: closes another", $0
		else depth[c]--
	}
	END {
		for (c in depth) if (depth[c]) print "odd: left open", c
		for (k in sum) if (sum[k]) printf "%s %.0f\n", k, sum[k]
	}' "$TAP_TMP/flat" "$TAP_TMP/flat" | sort
}
# wanted: prints the same lines as sums, computed from the spans.
wanted()
{
	awk -F, '
	function text(line) { sub(/^[^"]*"/, "", line); sub(/"\],?$/, "", line); return line }
	/^\[/ && substr($0, 1, 6) != "[999.0" {
		e = $6 + 0; c = $3 + 0; p = $4 + 0
		if (c < 0 || !(e >= 65536 || e >= 1024 && e < 4096)) next
		if (e >= 65536 && !p) next
		if (e >= 65536 && !(p in name)) name[p] = text($0)
		ns[c " " p " " (e >= 65536 ? "user" : text($0))] += $2 * 1e9
	}
	END {
		for (k in ns) {
			split(k, f, " ")
			call = k
			sub(/^[^ ]+ [^ ]+ /, "", call)
			all[f[1] " " (f[2] in name ? name[f[2]] : f[2] == 0 ? "-idle-" : "pid." f[2]) " " call] += ns[k]
		}
		for (k in all) if (all[k]) printf "%s %.0f\n", k, all[k]
	}' "$1" | sort
}
for name in $(golden_names); do
	xz -dc "tests/golden/$name.json.xz" >"$TAP_TMP/$name.json"
	run "$TAP_TMP/$name.json" "$TOOL"
	is "$name: exit status" "$STATUS" 0
	is "$name: no message" "$(cat "$ERR")" ""
	sums "$OUT" >"$TAP_TMP/got"
	wanted "$TAP_TMP/$name.json" >"$TAP_TMP/want"
	between "$name: sums" "$(wc -l <"$TAP_TMP/want")" 20 100000
	ok "$name: each thread's time in each call, on each CPU" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	is "$name: frames" "$(grep -c '^frame' "$TAP_TMP/flat")" "$(grep '^frame' "$TAP_TMP/flat" | sort -u -k2,2 | wc -l)"
done
run "$TAP_TMP/stock.json" "$TOOL"
if command -v node >/dev/null; then
	is "the output is JSON of speedscope's schema" "$(node -e '
		const f = JSON.parse(require("fs").readFileSync(0));
		const all = f.profiles.flatMap((p) => p.events);
		console.log(f.$schema, f.profiles.map((p) => `${p.type} ${p.unit} ${p.name}`).join(),
			f.profiles.every((p) => p.events.every((e) => e.at >= p.startValue && e.at <= p.endValue)),
			all.every((e) => e.frame >= 0 && e.frame < f.shared.frames.length))' <"$OUT")" \
		"https://www.speedscope.app/file-format-schema.json evented nanoseconds CPU 0,evented nanoseconds CPU 1 true true"
else
	skip "the output is JSON of speedscope's schema" "no node"
fi
like "the title" "$(head -n 2 "$OUT")" '"name":"golden"'
cp "$OUT" "$TAP_TMP/first"
run "$TAP_TMP/stock.json" "$TOOL"
ok "the same spans give the same bytes" cmp "$OUT" "$TAP_TMP/first"
tac "$TAP_TMP/stock.json" | grep '^\[ ' >"$TAP_TMP/back"
{ sed '/^"events"/q' "$TAP_TMP/stock.json"; cat "$TAP_TMP/back"; tail -n 2 "$TAP_TMP/stock.json"; } >"$TAP_TMP/back.json"
run "$TAP_TMP/back.json" "$TOOL" -o "$TAP_TMP/none"
expect "rows in no order" 1 'not in time order'
ok "rows in no order: no file" test ! -e "$TAP_TMP/none"
sed '/^\[999/!s/^\(\[ *[0-9.]*, \)0\.0/\10.9/' "$DATA/good.json" >"$TAP_TMP/overlap.json"
run "$TAP_TMP/overlap.json" "$TOOL"
expect "spans that overlap" 0 '^spantospeedscope: standard input: [0-9]+ spans left out'
is "spans that overlap: it nests" "$(sums "$OUT" | grep -c odd)" 0
for bad in "$DATA/good.json $DATA/good.json" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$DATA/good.json" "$TOOL" $bad
	expect "usage: $bad" 2 '^spantospeedscope: '
done
tap_end
