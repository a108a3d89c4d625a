#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 800
# takes: 20
# needs: patched
# ci
#
# A system call with any number does not get into the entry of another call. Programs choose the
# numbers: the test calls unknown numbers, -1, and sigreturn, which returns without its number,
# while softirqs and context switches are recorded around them. Runs on the stock kernel and on the
# patched one, with icount, where calls are short enough for their returns to be merged.
. tests/guest/lib.sh
guest_begin numbers
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=48
must kutrace_control run -o /out/n.trace -- sh -c 'numbers >/out/witness'
# Run the program again while two sessions record each event (dual path).
must kutrace_control session create other --size 1
must kutrace_control --session other start --wrap
must kutrace_control run -o /out/shared.trace -- sh -c 'numbers >/out/shared.witness'
must kutrace_control session destroy other
cat /proc/sys/kernel/pid_max >/out/pid_max
must rmmod kutrace
SCRIPT

# Prints the words of entries that have bits which their hook never sets.
forged()	# TRACE
{
	"$BUILD/bin/kuod" "$1" | awk -v pid_max="$(cat "$OUT/pid_max")" '
	function hex(s,   i, n) { for (i = 1; i <= length(s); i++)
		n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return n }
	# Use only entries, not the words of names and of the addresses after PC samples.
	$1 ~ /^[0-9]+$/ && length($2) == 16 && $3 ~ /^[+-][0-9.]+$/ && $4 != "name" {
		event = substr($2, 6, 3)
		low = substr($2, 9)
		seen[event]++
		if (event == "200" && hex(low) > pid_max)
			bad[n++] = "context switch to " hex(low) ": " $0
		if (event == "7ff" && low != "00000000")
			bad[n++] = "return of a softirq: " $0
		if (event == "000")
			bad[n++] = "no event: " $0
	}
	END {
		for (i = 0; i < n && i < 5; i++)
			print bad[i]
		if (!seen["200"] || !seen["7ff"])
			print "there is no such entry at all"
	}'
}

# Prints the number of calls of event $3 by process $4 between the marks $1 and $2, and the number
# of returns from them, merged or not.
there_and_back()	# FROM TO EVENT PID
{
	event_awk -v from="mark_a=$1" -v to="mark_a=$2" -v event="$3" -v pid="$4" '
	/^#/ || $3 < EV_FIRST { next }
	$10 == from { on = 1; next }
	$10 == to { done = on; on = 0 }
	on && $5 == pid && $3 == event { calls++; back += $2 > 0 }
	on && $5 == pid && $3 == event + EV_RETURN_BIT { back++ }
	END { print done ? calls + 0 " " back + 0 : "no-marks" }' "$ev"
}

number_checks()	# LABEL TRACE WITNESS
{
	trace_ok "$1" "$OUT/$2"
	is "$1: no entry has bits that its hook never sets" "$(forged "$OUT/$2")" ""
	if ! ok "$1: the filters read it" trace_text "$OUT/$2"; then
		return
	fi
	ev=$OUT/$2.events
	main=$(witness "$OUT/$3" main main)
	none=$(($(witness "$OUT/$3" plain calls) + $(witness "$OUT/$3" plain calls32)))
	between "$1: calls by unknown numbers" "$none" 1000 1000000
	is "$1: plain: all calls return with their own event" \
		"$(there_and_back plain /plain $EV_SYSOTHER "$main")" "$none $none"
	is "$1: plain: no call is recorded as any kind of sigreturn" \
		"$(there_and_back plain /plain "$(syscall_event rt_sigreturn)" "$main") $(there_and_back plain /plain $((EV_SYSCALL32 + 119)) \
		"$main") $(there_and_back plain /plain $((EV_SYSCALL32 + 173)) "$main")" "0 0 0 0 0 0"
	handled=$(witness "$OUT/$3" handlers rt_sigreturn)
	is "$1: handlers: all return by rt_sigreturn" \
		"$(there_and_back handl /handl "$(syscall_event rt_sigreturn)" "$main")" "$handled $handled"
	# Tracepoints show only the returns of these calls. The debugger stopped each equally often.
	stops=$((none + 2 * $(witness "$OUT/$3" emulated a00)))
	between "$1: emulated: the ends of calls are recorded (at least $stops)" "$(event_awk '
		!/^#/ && ($3 == EV_SYSOTHER_RETURN || $3 == EV_SYSOTHER && $2) { n++ } END { print n + 0 }' "$ev")" \
		"$stops" 1000000
}

run_on()	# LABEL
{
	OUT=$top/$1
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --icount --timeout 600 \
		--file "$GUEST_BIN/numbers" || return
	number_checks "$1" n.trace witness
	number_checks "$1, shared" shared.trace shared.witness
}

on_both_kernels 1 1
tap_end
