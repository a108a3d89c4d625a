#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests identities of tasks: which owner of its pid a thread is, its parent, programs, cgroup and pid in its own namespace.
# identity.events is written by hand, with known times: two owners of pid 30000, of which the second has a thread that gets
# this pid by exec.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

json=$TAP_TMP/json
sort -n "$DATA/identity.events" | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$json"

# --- rows ---

rows()	# EVENT: start, pid, argument and name
{
	awk -F', ' -v event="$1" '$6 == event { sub(/^\[ */, "", $1); print $1, $4, $7, substr($0, index($0, "\"")) }' "$json"
}
is "rows of identities" "$(rows 269)" '0.00001000 10 0 "p p1 c300 s3e8 =sh"],
0.00002000 30000 0 "f pa c100 s7d0 =sh"],
0.00004001 30000 0 "x pa c100 s7d0 =first"],
0.05102000 30000 0 "f pa n5.1 c200 sbb8 =sh"],
0.05104000 30001 0 "t pa g7530 n6.1 c200 sbc2 =sh"],
0.05106000 30000 0 "g pa n5.1 c100 sbb8 =sh"],
0.05300001 30000 0 "x pa n5.1 c100 sbb8 o7531 =second =x"],'
is "rows of cgroups: a long path is whole" "$(rows 266)" '0.00001000 0 768 "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12.slice/cri-9f8e7d6c5b4a39281706f5e4d3c2b1a0.scope"],
0.00002000 0 256 "/web (20 ms of 100 ms)"],'
is "nothing of the number between an end and the next birth" "$(awk -F', ' '$4 == 30000 && $6 != 526 && $6 != 269 {
	sub(/^\[ */, "", $1); if ($1 + $2 > 0.00102 && $1 < 0.05102) n++ } END { print n + 0 }' "$json")" 0

# --- spantowhy ---

why()	# PID: the lines about the thread's identity
{
	"$BIN/spantowhy" --pid "$1" "$json" 2>/dev/null | sed -n '2,/time of the critical path/p' | sed '$d'
}
is "spantowhy: a process in a container with a long path" "$(why 10)" 'sh.10?: process, parent 1, cgroup /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12.slice/cri-9f8e7d6c5b4a39281706f5e4d3c2b1a0.scope
0.00001000 existed, program sh'
is "spantowhy: the last owner of the number" "$(why 30000)" 'second =x.30000: process, parent 10, pid 5 in its own namespace, cgroup /web (20 ms of 100 ms)
0.05102000 began, as a process, program sh
0.05106000 moved to cgroup /web (20 ms of 100 ms)
0.05300001 executed a program: second =x, until then as thread 30001
0.05401000 ended'
is "spantowhy: a thread, which moved with its process" "$(why 30001)" 'sh.30001: thread of process 30000, parent 10, pid 6 in its own namespace, cgroup /web (20 ms of 100 ms)
0.05104000 began, as a thread, program sh'
is "spantowhy --json: each owner has its own history" "$("$BIN/spantowhy" --json "$json" 2>/dev/null |
	jq -c '.threads[] | [.name, .identity.born, .identity.ended, .identity.parent, .identity.ns_pid, ([.identity.history[].what] | join(" "))]')" \
	'["sh.10?",null,null,1,null,"present"]
["first.30000",2e-05,0.00101,10,null,"fork exec"]
["sh.30000",0.05102,0.05201,10,5,"fork moved"]
["sh.30001",0.05104,null,10,6,"thread"]
["second =x.30000",0.05102,0.05401,10,5,"fork moved exec"]'
is "spantowhy --top: the last records" "$("$BIN/spantowhy" --pid 30000 --top 1 "$json" 2>/dev/null | sed -n 3,4p)" 'left out: 2 earlier records
0.05300001 executed a program: second =x, until then as thread 30001'

# --- a part of the trace ---

"$BIN/spantotrim" --state 0.0533 0.07 "$json" >"$TAP_TMP/part" 2>/dev/null
is "spantotrim --state: the last identity before the range is that of a task which is present" \
	"$(grep ', 269, ' "$TAP_TMP/part" | sed 's/^[^"]*//')" '"p pa n5.1 c100 sbb8 o7531 =second =x"],'
is "spantotrim: the names of cgroups" "$(grep -c ', 266, ' "$TAP_TMP/part")" 2
is "spantowhy: a part of the trace" "$("$BIN/spantowhy" --pid 30000 "$TAP_TMP/part" 2>/dev/null | sed -n 2,3p)" \
	'second =x.30000: process, parent 10, pid 5 in its own namespace, cgroup /web (20 ms of 100 ms)
0.05330000 existed, program second =x'

"$BIN/spantotrim" --state 0.04 0.07 "$json" >"$TAP_TMP/between" 2>/dev/null
is "spantotrim --state: no task is present that ended before the range" \
	"$(grep ', 30000, 0, 269, ' "$TAP_TMP/between" | sed 's/^[^"]*"//; s/ .*//' | paste -sd' ')" "f g x"

# --- tables ---

if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	built "$BUILD/tests/make_shapes"
	"$BUILD/tests/make_shapes" identities 4000 "$TAP_TMP/raw"
	"$BIN/rawtosqlite" "$TAP_TMP/raw" -o "$TAP_TMP/db" 2>/dev/null
	"$BIN/rawtoevent" "$TAP_TMP/raw" 2>/dev/null | "$BIN/eventtospan" x >"$TAP_TMP/shape" 2>/dev/null
	is "table task: a row for each record and each end" \
		"$(sqlite3 "$TAP_TMP/db" "SELECT what, count(*) FROM task GROUP BY what ORDER BY what")" \
		"$(awk -F', ' '$6 == 531 { n["exit"]++ } $6 == 269 { n[substr($10, 2, 1)]++ }
		END { print "exec|" n["x"]; print "exit|" n["exit"]; print "fork|" n["f"]; print "moved|" n["g"] }' "$TAP_TMP/shape")"
	is "table task: the columns" "$(sqlite3 "$TAP_TMP/db" "SELECT tid, parent, process, ns_tid, cgroup_id, boot_ns FROM task WHERE boot_ns = 16")" \
		"100|1|100||16|16"
else
	skip "table task" "not built, or no sqlite3"
fi

# --- Perfetto and CTF: a recorded trace, whose processes and parents the event text has ---

trace=$TAP_TMP/trace
xz -dc "$DATA/linux72/identity.trace.xz" >"$trace"
# prints PID PROCESS PARENT TIME of each identity of the kinds in KINDS
recorded()	# KINDS
{
	"$BIN/rawtoevent" "$trace" 2>/dev/null | awk -v kinds="$1" '
	function hex(text,	i, n) {
		for (i = 1; i <= length(text); i++)
			n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
		return n + 0
	}
	!/^#/ && $1 >= 0 && $3 < 512 && int($3 / 256) == 1 && $3 % 16 == 13 && index(kinds, $5) {
		process = $4; parent = 0
		for (i = 6; i <= NF; i++) {
			if ($i ~ /^g/) process = hex(substr($i, 2))
			if ($i ~ /^p/) parent = hex(substr($i, 2))
		}
		print $4, process, parent, $1
	}' | sort -u
}
recorded pftxgG | cut -d' ' -f1,2 | sort -u >"$TAP_TMP/recorded"
like "the trace has threads that are not the first of their process" "$(awk '$1 != $2 { n++ } END { print "threads " n + 0 }' "$TAP_TMP/recorded")" "threads [1-9]"
if command -v protoc >/dev/null; then
	. tests/cli/perfetto.inc
	"$BIN/rawtoperfetto" "$trace" -o "$TAP_TMP/pf" 2>/dev/null
	perfetto_text <"$TAP_TMP/pf" >"$TAP_TMP/text"
	awk -f tests/cli/perfetto_flat.awk "$TAP_TMP/text" >"$TAP_TMP/flat"
	awk '$1 == "member" { print $2, $3 }' "$TAP_TMP/flat" | sort -u >"$TAP_TMP/members"
	is "Perfetto: each thread is in the process that was recorded" "$(comm -13 "$TAP_TMP/recorded" "$TAP_TMP/members")" ""
	is "Perfetto: threads with a process of their own and threads with another one" \
		"$(awk '{ n[$1 == $2] = 1 } END { print n[0], n[1] }' "$TAP_TMP/members")" "1 1"
	# When a thread gets the pid of its process by exec, the exports begin another process.
	executed=$("$BIN/rawtoevent" "$trace" 2>/dev/null | awk '!/^#/ && $3 < 512 && $3 % 16 == 13 && / o[0-9a-f]+/ { print $4; exit }')
	is "Perfetto: the threads of a process have one track of the process" \
		"$(awk '$1 == "track" && $3 == "process" { track = $2 } $1 == "process" { print $2, track }' "$TAP_TMP/flat" | sort -u |
			cut -d' ' -f1 | grep -vx "$executed" | grep -Fxf <(awk '$1 != $2 { print $2 }' "$TAP_TMP/members") | sort | uniq -d)" ""
	is "Perfetto: an exec and a move are instants with what was recorded" "$(grep -cE '^instant [0-9]+ t[0-9]+ (exec|moved)$' "$TAP_TMP/flat")" \
		"$(recorded xgG | wc -l)"
	like "Perfetto: the cgroup of a moved process" "$(grep -A1 'string_value: "/box/in"' "$TAP_TMP/text" | grep -c 'name: "cgroup"')" '^[1-9]'
else
	skip "Perfetto" "no protoc"
fi
if command -v babeltrace2 >/dev/null; then
	"$BIN/rawtoctf" -o "$TAP_TMP/ctf" "$trace" 2>/dev/null
	babeltrace2 "$TAP_TMP/ctf" >"$TAP_TMP/text" 2>/dev/null
	is "CTF: process and parent of each task that existed" \
		"$(sed -n 's/.*statedump.*{ tid = \([0-9]*\), pid = \([0-9]*\), ppid = \([0-9]*\),.*/\1 \2 \3/p' "$TAP_TMP/text" | sort | comm -12 - <(recorded p | cut -d' ' -f1-3))" \
		"$(recorded p | cut -d' ' -f1-3)"
else
	skip "CTF" "no babeltrace2"
fi

# --- damaged records ---

for text in '' 'p p' 'x pzz' 'f p1 n5' 'f p1 n5.' 'f p1 n5.0' 'q p1' 'f  p1' 'f p1 s11112222333344445' $'f p1\ts2' 'f p123456789'; do
	sed "s/^\(5102000 1 349 30000\) .*/\1 $text/" "$DATA/identity.events" | sort -n | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/damaged"
	is "a damaged record \"$text\" is no row" "$(grep -c ', 269, ' "$TAP_TMP/damaged")" 6
done
sed 's/^\(5102000 1 349 30000\) .*/\1 f pa z5 sbb8/' "$DATA/identity.events" | sort -n | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/later"
is "a field of a later version is ignored" "$(grep -c ', 269, ' "$TAP_TMP/later")" 7
tap_end
