#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 60
# also: priorities_6_12 KERNEL=stock-6.12
# also: priorities_7_2 KERNEL=stock-7.2
#
# Records threads that change their policies and priorities. The priority in the trace equals the one in
# /proc/PID/stat, which the program reads between two system calls: after each change by a system call, while a priority is
# inherited through a lock, and in a forked child. At the end, all threads of the machine have the priorities of /proc.
# spantowhy names the thread that preempted another one, with both priorities.
. tests/guest/lib.sh
guest_begin priorities

{ echo '#!/bin/sh'; cat - <<'SCRIPT'; } >"$TAP_TMP/script"
must insmod /lib/kutrace.ko
must kutrace_control go
must sh -c 'priorities own >/out/own'
must sh -c 'priorities inherit >/out/inherit'
must sh -c 'priorities preempt >/out/preempt'
for f in /proc/[0-9]*/stat; do
	sed 's/^\([0-9]*\) (.*) /\1 comm /' $f
done >/out/all
must kutrace_control stop /out/trace
must sh -c 'kutrace_control status --json >/out/status.json'
must rmmod kutrace
SCRIPT

# shown JSON: prints "call PID PRIORITY" for each call of getppid(), in order of time
shown()
{
	awk -F'[][, ]+' -v event="$EV_PRIORITY_SPAN" '
		function name(line) { sub(/^.*, "/, "", line); sub(/"\],?$/, "", line); return line }
		!/^\[/ { next }
		$7 == event { n++; from[n] = $2; to[n] = $2 + $3; of[n] = $5; text[n] = name($0); next }
		# only the last part of a call has its result
		/"getppid"/ && $9 { calls++; at[calls] = $2; pid[calls] = $5 }
		END {
			for (c = 1; c <= calls; c++) {
				found = ""
				for (i = 1; i <= n; i++) {
					if (from[i] > at[c] || to[i] < at[c]) continue
					if (of[i] == pid[c] || (of[i] == 0 && found == "")) found = text[i]
				}
				print "call", pid[c], found
			}
		}' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/priorities"; then
	trace_ok priorities "$OUT/trace"
	trace_text "$OUT/trace"
	shown "$OUT/trace.json" >"$OUT/shown"
	for what in own inherit; do
		sed -n 's/^phase //p' "$OUT/$what" | sort -s -k1,1n >"$OUT/$what.kernel"
		for pid in $(cut -d' ' -f1 "$OUT/$what.kernel" | sort -un); do
			# the shell that executed the program made earlier calls
			sed -n "s/^call \($pid \)/\1/p" "$OUT/shown" | tail -n $((2 * $(grep -c "^$pid " "$OUT/$what.kernel")))
		done | sed 's/ RT \([0-9]*\) inherited$/ nice 0 inherits RT \1/' | awk 'NR % 2' >"$OUT/$what.trace"
		is "$what: phases" "$(wc -l <"$OUT/$what.kernel")" "$([ $what = own ] && echo 11 || echo 4)"
		is "$what: the priorities of the trace are those of /proc" "$(cat "$OUT/$what.trace")" "$(cat "$OUT/$what.kernel")"
	done
	like "inherit: a priority is inherited" "$(cat "$OUT/inherit")" 'nice 0 inherits RT 30'
	victim=$(sed -n 's/^pid victim //p' "$OUT/preempt")
	"$BUILD/bin/spantowhy" --pid "$victim" "$OUT/trace.json" >"$OUT/why"
	between "preempt: gaps whose preemptor is named" "$(grep -c 'preempted by urgent\.[0-9]* (FIFO 50; itself nice 0)' "$OUT/why")" 15 25
	"$BUILD/bin/spantowhy" --json --pid "$victim" "$OUT/trace.json" >"$OUT/why.json"
	like "preempt: JSON" "$(cat "$OUT/why.json")" '"preempted_by": \{"pid": [0-9]+, "name": "urgent\.[0-9]+", "priority": "FIFO 50"'
	awk '{ policy = $41; if (policy == 1 || policy == 2) print $1, (policy == 1 ? "FIFO" : "RR"), $40; else if (policy == 0) print $1, "nice", $19 }' \
		"$OUT/all" | sort >"$OUT/all.kernel"
	awk -F'[][, ]+' -v event="$EV_PRIORITY_SPAN" 'NR == FNR { if ($7 == event) { line = $0; sub(/^.*, "/, "", line); sub(/"\],?$/, "", line); text[$5] = line }; next }
		{ split($0, word, " "); print word[1], word[1] in text ? text[word[1]] : text[0] }' "$OUT/trace.json" "$OUT/all.kernel" >"$OUT/all.trace"
	between "all threads: threads with a priority other than nice 0" "$(grep -vc 'nice 0$' "$OUT/all.kernel")" 5 500
	# Threads that did not run have no rows, and are not compared.
	is "all threads: those that ran have the priorities of /proc" "$(awk -F'[][, ]+' 'NR == FNR { if ($4 >= 0 && $5 > 0) ran[$5] = 1; next }
		{ split($0, word, " ") } word[1] in ran' "$OUT/trace.json" "$OUT/all.trace")" \
		"$(awk -F'[][, ]+' 'NR == FNR { if ($4 >= 0 && $5 > 0) ran[$5] = 1; next } { split($0, word, " ") } word[1] in ran' "$OUT/trace.json" "$OUT/all.kernel")"
	# Linux's number of FIFO 50 is 49, and of an inherited RT 30 it is 69. LTTng subtracts 100.
	if command -v babeltrace2 >/dev/null && command -v protoc >/dev/null; then
		"$BUILD/bin/rawtoctf" -o "$TAP_TMP/ctf" "$OUT/trace" 2>/dev/null
		babeltrace2 "$TAP_TMP/ctf" 2>/dev/null | grep 'sched_switch' | sed 's/.*next_comm = "\([^"]*\)".*next_prio = \([-0-9]*\).*/\1 \2/' >"$OUT/ctf.switches"
		. tests/cli/perfetto.inc
		"$BUILD/bin/rawtoperfetto" "$OUT/trace" -o "$TAP_TMP/pf" 2>/dev/null
		perfetto_text <"$TAP_TMP/pf" | sed -n 's/^        next_comm: "\(.*\)"/\1/p; s/^        next_prio: //p' | paste -d' ' - - >"$OUT/pf.switches"
		between "CTF: switches to the urgent thread with its priority" "$(grep -c '^urgent -51$' "$OUT/ctf.switches")" 15 1000
		is "Perfetto: as many" "$(grep -c '^urgent 49$' "$OUT/pf.switches")" "$(grep -c '^urgent -51$' "$OUT/ctf.switches")"
		is "CTF and Perfetto: the priorities of all switches, with an inherited one" \
			"$(awk '{ print $NF - 100 }' "$OUT/pf.switches" | sort -n | uniq -c | tr -s ' ' | grep -v ' 20$' | tr '\n' ';')" \
			"$(awk '{ print $NF }' "$OUT/ctf.switches" | sort -n | uniq -c | tr -s ' ' | grep -v ' 20$' | tr '\n' ';')"
		holder=$(sed -n 's/^phase \([0-9]*\) .*inherits RT 30$/\1/p' "$OUT/inherit")
		between "CTF: the thread that inherits RT 30 leaves its CPU with it" \
			"$(babeltrace2 "$TAP_TMP/ctf" 2>/dev/null | grep -c "prev_tid = $holder, prev_prio = -31,")" 1 100
		between "Perfetto: so it does" "$(perfetto_text <"$TAP_TMP/pf" | grep -A1 "^        prev_pid: $holder\$" | grep -c 'prev_prio: 69$')" 1 100
	else
		skip "CTF and Perfetto" "no babeltrace2 or protoc"
	fi
	unlike "there is no caveat" "$(grep '"caveats"' "$OUT/status.json")" '"priorities"'
fi
tap_end
