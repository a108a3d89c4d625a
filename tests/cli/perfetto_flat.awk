# SPDX-License-Identifier: BSD-3-Clause
#
# Converts protoc's text of a Perfetto trace (perfetto_text of perfetto.inc) to one line per item, in the
# order of the file, with times in ns and names instead of numbers:
#
#	begin TIME TRACK NAME		switch TIME CPU PREV STATE NEXT
#	end TIME TRACK			waking TIME CPU PID TARGET
#	instant TIME TRACK NAME		power TIME CPU KIND STATE
#	counter TIME TRACK VALUE	flow ID start|end TIME TRACK
#	track TRACK cpu|thread|process|counter|other NUMBER-OR-NAME
#	called TIME PID NAME		from a context switch or a renaming
#	renamed TIME PID NAME		from a renaming
#	new TIME PID PARENT KIND NAME	a new task; KIND is process, or thread: of the parent's process
#	exit TIME PID, free TIME PID	its end
#	process PID NAME		from the track of a process
#	member TID PID		from the track of a thread: its process
#	odd ...				an item that protoc has no name for
#
# TRACK: cN for CPU N, tN for thread N, nN for the track with the number N.

function value(line) { sub(/^[^:]*: /, "", line); return line }
function unquoted(word) { return substr(word, 2, length(word) - 2) }
function text(line) { return unquoted(value(line)) }
function of(track) { return track in known ? known[track] : "n" track }
/^ *[0-9]+[: ]/ { print "odd", $0; next }
/^packet \{/ { split("", f); flows = 0; next }
/^  ftrace_events \{/ { cpu = "?"; next }
/^    cpu: / { cpu = value($0); next }
/^    event \{/ { split("", f); next }
/^      timestamp: / { at = value($0); next }
/^      pid: / { pid = value($0); next }
/^      (sched_switch|cpu_frequency|cpu_idle|sched_waking|task_rename|task_newtask|sched_process_exit|sched_process_free) \{/ { kind = $1; split("", f); next }
/^        [a-z_]+: / { split($1, k, ":"); f[k[1]] = value($0); next }
/^      \}/ {
	if (kind == "sched_switch") {
		print "switch", at, cpu, f["prev_pid"], f["prev_state"], f["next_pid"]
		print "called", at, f["next_pid"], unquoted(f["next_comm"])
	} else if (kind == "task_rename") {
		print "called", at, f["pid"], unquoted(f["newcomm"])
		print "renamed", at, f["pid"], unquoted(f["newcomm"])
	} else if (kind == "task_newtask") {
		print "called", at, f["pid"], unquoted(f["comm"])
		print "new", at, f["pid"], pid, f["clone_flags"] == 65536 ? "thread" : "process", unquoted(f["comm"])
	} else if (kind ~ /^sched_process/)
		print substr(kind, 15), at, f["pid"]
	else if (kind == "sched_waking")
		print "waking", at, cpu, f["pid"], f["target_cpu"]
	else if (kind != "")
		print "power", at, cpu, kind, f["state"]
	kind = ""
	next
}
/^  timestamp: / { time = value($0); next }
/^    type: / { type = value($0); name = ""; number = ""; next }
/^    (terminating_)?flow_ids: / { flow[++flows] = value($0) " " ($1 == "flow_ids:" ? "start" : "end"); next }
/^    track_uuid: / { track = value($0); next }
/^    name_iid: / { number = value($0); next }
/^    counter_value: / { count = value($0); next }
/^      iid: / { entry = value($0); next }
/^      name: / { if (part == "event_names") names[entry] = text($0); next }
/^    uuid: / { uuid = value($0); label = ""; tid = ""; process = ""; isc = 0; next }
/^      process_name: / { process = text($0); next }
/^    name: / { if (has_track) label = text($0); else name = text($0); next }
/^      tid: / { tid = value($0); next }
/^    [a-z_]+ \{/ { part = $1; isc = isc || part == "counter"; next }
/^  track_event \{/ { has_event = 1; next }
/^  track_descriptor \{/ { has_track = 1; next }
/^\}/ {
	if (has_track) {
		if (tid != "")
			known[uuid] = "t" tid
		else if (label ~ /^CPU [0-9]+$/)
			known[uuid] = "c" substr(label, 5)
		print "track", of(uuid), tid != "" ? "thread " tid : process != "" ? "process " pid : \
			isc ? "counter " label : label ~ /^CPU [0-9]+$/ ? "cpu " substr(label, 5) : "other " label
		if (tid != "")
			print "member", tid, pid
		if (process != "")
			print "process", pid, process
	}
	if (has_event) {
		if (number != "")
			name = number in names ? names[number] : "?unknown?"
		if (type == "TYPE_SLICE_BEGIN")
			print "begin", time, of(track), name
		else if (type == "TYPE_SLICE_END")
			print "end", time, of(track)
		else if (type == "TYPE_INSTANT")
			print "instant", time, of(track), name
		else
			print "counter", time, of(track), count
		for (i = 1; i <= flows; i++)
			print "flow", flow[i], time, of(track)
	}
	has_event = has_track = flows = 0
}
