# SPDX-License-Identifier: BSD-3-Clause
# Reads docs/reference/events.md and then span JSON with one row per line. Prints all spans except execution and waits,
# one line per row of the tables pause, wakeup, ipi, lock, packet, rpc, counter, sample and mark. Times are in units of
# 10 ns since time 0. points.sql prints the same from the tables. ipc=1: the counter bits are instructions per cycle.
function units(text) { gsub(/[^0-9]/, "", text); sub(/^0+/, "", text); return text == "" ? "0" : text }
BEGIN {
	FS = ","
	OFMT = CONVFMT = "%.0f"
	split("0 1 2 3 4 5 6 7 8 10 12 14 16 20 24 28", eighths, " ")
}
# | 20a | mark_a | MARK | label in base 40 |
FNR == NR {
	split($0, cell, / *\| */)
	if (cell[2] ~ /^[0-9a-f][0-9a-f][0-9a-f]$/ && !(cell[2] in kind_of))
		kind_of[cell[2]] = cell[3]
	next
}
!/^\[/ || /^\[ ?999/ { next }
{
	event = $6 + 0
	start = units($1)
	dur = units($2)
	cpu = $3 + 0
	pid = $4 + 0
	arg = $7 + 0
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/"\],?$/, "", name)
	kind = kind_of[sprintf("%03x", event)]
}
event >= 65536 || event >= 1024 && event < 4096 {
	if (ipc && (!(cpu in last) || last[cpu] != $9 + 0))
		print "counter", start, cpu, "ipc_eighths", eighths[$9 + 1]
	last[cpu] = $9 + 0
	next
}
event == -3 { ran[start " " cpu " " ($8 + 0)] = arg " " dur * 10; next }
event == -7 { taken[start " " cpu " " arg] = dur * 10; next }
event < 0 || event >= 768 && event <= 793 || event == 526 || event == 527 { next }
event == 644 { print "pause", start, dur * 10, cpu, arg; next }
event == 518 { wakeups[++woken] = start " " cpu " " pid " " arg; next }
event == 519 { ipis[++sent] = start " " cpu " " arg; by[sent] = pid; next }
event == 642 || event == 643 { print "lock", start, dur * 10, event == 642 ? "held" : "tried", arg, name, pid, cpu; next }
event == 515 || event == 538 && dur > 1 { print "rpc", start, dur * 10, event == 515 ? "working" : "queued", $5 + 0, name, pid, cpu; next }
event >= 532 && event <= 535 { print "packet", start, 0, kind, cpu, pid, arg, $5 + 0, name; next }
event == 516 || event == 517 { print "packet", start, dur * 10, kind, cpu, pid, arg, $5 + 0, name; next }
event == 520 { print "counter", start, cpu, "idle_state", arg; next }
event == 521 || event == 540 { print "counter", start, cpu, "frequency_mhz", arg; next }
event == 640 || event == 641 { print "sample", start + dur, dur * 10, cpu, pid, event == 641 ? "kernel" : "user", name; next }
{
	if (index(name, kind "=") == 1)
		name = substr(name, length(kind) + 2)
	print "mark", start, cpu, pid, kind, arg, name
}
END {
	for (i = 1; i <= woken; i++) {
		split(wakeups[i], w, " ")
		key = w[1] " " w[2] " " w[4]
		print "wakeup", wakeups[i], key in ran ? ran[key] : "-"
	}
	for (i = 1; i <= sent; i++)
		print "ipi", ipis[i], by[i], ipis[i] in taken ? taken[ipis[i]] : "-"
}
