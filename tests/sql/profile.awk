# SPDX-License-Identifier: BSD-3-Clause
# Prints the content of spantoprof --json, one fact per line, which tests/cli/sql.sh compares with the tables:
#	cpu PID NS, idle NS, leaving_idle NS, call PID NAME COUNT CUT ELAPSED ON_CPU, wait PID REASON COUNT NS
# Times are in ns. Names have no ? at the end. The idle tasks of all CPUs are pid 0.
function units(text) { sub(/\./, "", text); return text * 10 }
function field(name,  rest) {
	if (!match($0, "\"" name "\": "))
		return ""
	rest = substr($0, RSTART + RLENGTH)
	if (rest ~ /^"/) {
		rest = substr(rest, 2)
		return substr(rest, 1, index(rest, "\"") - 1)
	}
	match(rest, /^[-0-9.]+/)
	return substr(rest, 1, RLENGTH)
}
/^ \{"pid"/ { pid = field("pid"); cpu[pid] += units(field("cpu"))
	idle += units(field("idle")); leaving += units(field("leaving_idle")) }
/"class": "cpu"/ {
	name = field("kind")
	if (name == "user" || name == "kernel" || (pid == 0 && name ~ /^-(idle|idlelp|c-exit)-\??$/))
		next
	sub(/\?$/, "", name)
	key = pid " " name
	count[key] += field("count") + field("cut")
	cut[key] += field("cut")
	elapsed[key] += units(field("elapsed"))
	own[key] += units(field("time"))
}
/"class": "wait"/ {
	key = pid " " substr(field("kind"), 6)
	waits[key] += field("count")
	waited[key] += units(field("elapsed"))
}
END {
	OFMT = CONVFMT = "%.0f"
	for (pid in cpu) print "cpu", pid, cpu[pid]
	print "idle", idle + 0
	print "leaving_idle", leaving + 0
	for (key in count) print "call", key, count[key], cut[key], elapsed[key], own[key]
	for (key in waits) print "wait", key, waits[key], waited[key]
}
