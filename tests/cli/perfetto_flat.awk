# SPDX-License-Identifier: BSD-3-Clause
#
# What protoc has decoded of a Perfetto trace (perfetto.proto), a line a thing, times in ns and names in
# words; in the order of the file:
#
#	begin TIME TRACK NAME		switch TIME CPU PREV STATE NEXT
#	end TIME TRACK			waking TIME CPU PID TARGET
#	instant TIME TRACK NAME		power TIME CPU KIND STATE
#	counter TIME TRACK VALUE	flow ID start|end TIME TRACK
#	track TRACK cpu|thread|counter|other NUMBER-OR-NAME
#	odd ...				what protoc has no name for
#
# TRACK: cN (CPU), tN (thread), or n and the number of any other.

function value(line) { sub(/^[^:]*: /, "", line); return line }
function text(line) { line = value(line); return substr(line, 2, length(line) - 2) }
function of(track) { return track in known ? known[track] : "n" track }
/^ *[0-9]+[: ]/ { print "odd", $0; next }
/^packet \{/ { split("", f); flows = 0; next }
/^  ftrace \{/ { cpu = "?"; next }
/^    cpu: / { cpu = value($0); next }
/^    ftrace_event \{/ { split("", f); next }
/^      timestamp: / { at = value($0); next }
/^      pid: / { pid = value($0); next }
/^      (sched_switch|cpu_frequency|cpu_idle|sched_waking) \{/ { kind = $1; split("", f); next }
/^        [a-z_]+: / { split($1, k, ":"); f[k[1]] = value($0); next }
/^      \}/ {
	if (kind == "sched_switch")
		print "switch", at, cpu, f["prev_pid"], f["prev_state"], f["next_pid"]
	else if (kind == "sched_waking")
		print "waking", at, cpu, f["pid"], f["target_cpu"]
	else if (kind != "")
		print "power", at, cpu, kind, f["state"]
	kind = ""
	next
}
/^  timestamp: / { time = value($0); next }
/^    type: / { type = value($0); name = ""; number = ""; next }
/^    (flow|flow_ends): / { flow[++flows] = value($0) " " ($1 == "flow:" ? "start" : "end"); next }
/^    on_track: / { track = value($0); next }
/^    name_id: / { number = value($0); next }
/^    event_name: / { name = text($0); next }
/^    counter_value: / { count = value($0); next }
/^    annotation_names \{/ { other = 1; next }
/^    event_names \{/ { other = 0; next }
/^      entry_id: / { entry = value($0); next }
/^      text: / { if (!other) names[entry] = text($0); next }
/^    uuid: / { uuid = value($0); label = ""; tid = ""; isc = 0; next }
/^    name: / { label = text($0); next }
/^      tid: / { tid = value($0); next }
/^    counter \{/ { isc = 1; next }
/^  event \{/ { has_event = 1; next }
/^  track \{/ { has_track = 1; next }
/^\}/ {
	if (has_track) {
		if (tid != "")
			known[uuid] = "t" tid
		else if (label ~ /^CPU [0-9]+$/)
			known[uuid] = "c" substr(label, 5)
		print "track", of(uuid), tid != "" ? "thread " tid : isc ? "counter " label : \
			label ~ /^CPU [0-9]+$/ ? "cpu " substr(label, 5) : "other " label
	}
	if (has_event) {
		if (number != "")
			name = number in names ? names[number] : "?unknown?"
		if (type == "BEGIN")
			print "begin", time, of(track), name
		else if (type == "END")
			print "end", time, of(track)
		else if (type == "INSTANT")
			print "instant", time, of(track), name
		else
			print "counter", time, of(track), count
		for (i = 1; i <= flows; i++)
			print "flow", flow[i], time, of(track)
	}
	has_event = has_track = flows = 0
}
