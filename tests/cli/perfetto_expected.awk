# SPDX-License-Identifier: BSD-3-Clause
#
# Derives the expected content of a Perfetto trace from other outputs, for tests/cli/rawtoperfetto.sh.
# From event text (of rawtoevent), it writes each system call whose beginning and end were recorded:
#
#	call tPID START DURATION NAME
#
# Omits calls with a pause in them (fact "pause=OFF:ON"). Also writes each wakeup: waking TIME CPU PID.
# From span JSON with one row per line (rawtohtml --json), it writes the kernel's spans on each CPU, and
# when each task ran on each CPU, except the last task:
#
#	slice cCPU START DURATION NAME		run CPU PID START END
#
# In a pause, the thread 4194305 + CPU runs, a number that no task can have. Times are in ns since the
# start minute.

BEGIN { OFMT = CONVFMT = "%.0f" }
function ns(seconds) { sub(/^\[? */, "", seconds); sub(/\./, "", seconds); sub(/^0*/, "", seconds); return (seconds == "" ? 0 : seconds) "0" }

$3 == 351 && / pause=[0-9]+:/ {
	off = $0
	sub(/.* pause=/, "", off)
	pauses[off + 0]
}
/^#/ || /^-/ { next }
function paused(from, to,  off)
{
	for (off in pauses)
		if (from < off + 0 && off + 0 <= to)
			return 1
	return 0
}

# a row of JSON
/^\[/ {
	n = split($0, f, ",")
	cpu = f[3] + 0
	event = f[6] + 0
	start = ns(f[1])
	sub(/ /, "", f[2])
	time = ns(f[2])
	if (substr($0, 1, 6) == "[999.0" || cpu < 0 || !(event >= 65536 || event >= 1024 && event < 4096 || event == 644))
		next
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/"\],?$/, "", name)
	if (event < 4096)
		print "slice", "c" cpu, start, time + 0, name
	pid = event == 644 ? 4194305 + cpu : f[4] + 0
	if (!(cpu in now) || now[cpu] != pid) {
		if (cpu in now)
			printf "run %s %s %s %s\n", cpu, now[cpu], since[cpu], start
		now[cpu] = pid
		since[cpu] = start
	}
	next
}

# an event
NF >= 10 && $3 == 518 { printf "waking %.0f %s %s\n", $1 * 10, $4, $7 }
NF >= 10 && $3 >= 2048 && $3 != 3583 && $3 != 4095 {
	name = $0
	sub(/^([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)/, "", name)
	sub(/ \([0-9a-f]*\)$/, "", name)
	if (int($3 / 512) % 2 == 0) {
		delete open[$5]
		if ($2)
			printf "call t%s %.0f %.0f %s\n", $5, $1 * 10, $2 * 10, name
		else
			open[$5] = $1
		code[$5] = $3
		names[$5] = name
	} else if ($5 in open && code[$5] + 512 == $3) {
		if (!paused(open[$5], $1))
			printf "call t%s %.0f %.0f %s\n", $5, open[$5] * 10, ($1 - open[$5]) * 10, names[$5]
		delete open[$5]
	}
}
