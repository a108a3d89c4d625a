#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints five lines about a trace, computed from the files that the filters made:
#
#	tests/demo/summary.sh EVENTS JSON
#
# EVENTS is rawtoevent's text, sorted (sort -n), JSON is the output of eventtospan and the second
# sort. The demo prints the lines. Needs only plain awk.
set -eu
export LC_ALL=C

[ $# = 2 ] || { echo "usage: summary.sh EVENTS JSON" >&2; exit 2; }

# Counts events, and finds the system call that took longest from call to return, including waits.
# Ignores calls of the tracer itself, which waits for its child all the time.
facts=$(awk '
function consider(start, dur, pid, name) {
	if (dur <= longest || owner[pid] ~ /^kutrace_contro/)
		return
	longest = dur
	slow = name
	slow_pid = pid
}
/^#/ || NF < 5 { next }
$3 < 512 {		# a definition: TS DUR EVENT NUMBER NAME; 0x0n2 names a pid
	if ($3 < 256 && $3 % 16 == 2)
		owner[$4] = $5
	next
}
{ events++ }
$3 == 512 {		# context switch: NAME.PID (200)
	owner[$7] = $10
	sub(/\.[0-9]+$/, "", owner[$7])
}
$3 >= 2048 && $3 < 2560 && $10 != "-sched-" {	# call
	if ($2 > 0)
		consider($1, $2, $5, $10)
	else {
		since[$5] = $1
		what[$5] = $3
		name[$5] = $10
	}
}
$3 >= 2560 && $3 < 3072 && ($5 in since) && what[$5] == $3 - 512 {	# its return
	consider(since[$5], $1 - since[$5], $5, name[$5])
	delete since[$5]
}
END {
	printf "%.0f %s %.0f %s.%d\n", events, (slow == "" ? "-" : slow), longest, \
		owner[slow_pid], slow_pid
}' "$1")

awk -v facts="$facts" '
BEGIN {
	split(facts, word, " ")
	events = word[1]
	slow = word[2]
	slow_us = word[3] / 100
	slow_in = word[4]
}
/^ *"lost" *:/ && match($0, /"total" *: *[0-9]+/) {
	lost = substr($0, RSTART, RLENGTH)
	sub(/.*: */, "", lost)
}
/^\[/ {
	line = $0
	name = line
	sub(/^[^"]*"/, "", name)
	sub(/"\],? *$/, "", name)
	gsub(/[\[,]/, " ", line)
	split(line, f, " ")
	if (f[1] >= 999 && f[2] == 0)
		next
	cpu = f[3]; pid = f[4]; event = f[6]
	if (cpu < 0 || !(event >= 65536 || event >= 1024 && event < 4096))
		next
	cpus[cpu] = 1
	if (first == "" || f[1] < first)
		first = f[1]
	if (f[1] + f[2] > last)
		last = f[1] + f[2]
	if (pid == 0)
		next
	busy[pid] += f[2]
	if (event == 65536 + pid)
		called[pid] = name
}
END {
	for (c in cpus)
		ncpus++
	for (pid in busy)
		if (best == "" || busy[pid] > busy[best])
			best = pid
	if (ncpus == 0 || best == "") {
		print "summary: no execution in this trace" > "/dev/stderr"
		exit 1
	}
	printf "duration             %.3f ms on %d CPUs\n", (last - first) * 1000, ncpus
	printf "events               %s\n", events
	printf "lost events          %s\n", (lost == "" ? "not recorded" : lost)
	printf "busiest process      %s, %.3f ms of CPU time\n", \
		(best in called ? called[best] : "pid " best), busy[best] * 1000
	printf "slowest system call  %s, %.3f ms in %s\n", slow, slow_us / 1000, slow_in
}' "$2"
