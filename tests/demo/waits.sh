#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the longest waits of a thread with their causes, in words:
#
#	spantowhy --json --pid THREAD JSON | tests/demo/waits.sh
#
# Prints at most three waits, the longest in each system call, fault or user code: many waits are in the
# same call. The demo prints the lines. Needs only plain awk. Exit status: 0; 1 with a message: there is no wait.
set -eu
export LC_ALL=C

awk '
BEGIN {
	words["disk"] = "for the disk"
	words["net"] = "for the network"
	words["pipe"] = "for a pipe"
	words["time"] = "for a timer"
	words["lock"] = "for a lock"
	words["mem"] = "for memory"
}
# Returns the value of a member of a JSON object, without its quotation marks; null and no value are empty.
function member(object, name) {
	if (!match(object, "\"" name "\": (\"[^\"]*\"|[-0-9.]+)"))
		return ""
	object = substr(object, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
	gsub(/"/, "", object)
	return object
}
/^ *[{]"start": / {
	wait = $0
	waker = ""
	if (match(wait, /"waker": [{][^}]*[}]/)) {
		waker = substr(wait, RSTART, RLENGTH)
		wait = substr(wait, 1, RSTART - 1) substr(wait, RSTART + RLENGTH)
	}
	sub(/"held_by".*/, "", wait)
	start = member(wait, "start")
	call = member(wait, "in")
	long = (member(wait, "end") - start) * 1000
	if (call == "" || long <= longest[call])
		next
	longest[call] = long
	why = "was preempted or moved"
	if (member(wait, "waited") + 0 > 0) {
		why = sprintf("waited %.3f ms", member(wait, "waited") * 1000)
		if (member(wait, "for") in words)
			why = why " " words[member(wait, "for")]
		if (waker != "") {
			name = member(waker, "name")
			if (name ~ /^-idle/)
				name = "an interrupt"
			else
				sub(/[.][0-9]+$/, "", name)
			why = why ", until " name " woke it" (member(waker, "in") == "" ? "" : " in " member(waker, "in"))
		}
	}
	text[call] = sprintf("%9.3f ms in %-10s at %.6f s: %s; then %.3f ms until CPU %d ran it", \
		long, call == "user" ? "user code" : call, start, why, member(wait, "runnable") * 1000, member(wait, "cpu"))
}
END {
	for (n = 0; n < 3; n++) {
		best = ""
		for (call in longest)
			if (longest[call] > 0 && (best == "" || longest[call] > longest[best]))
				best = call
		if (best == "")
			break
		print text[best]
		longest[best] = 0
	}
	if (n == 0) {
		print "waits: the thread has no wait" > "/dev/stderr"
		exit 1
	}
}'
