# SPDX-License-Identifier: BSD-3-Clause
#
# Joins lines "begin TIME TRACK NAME" and "end TIME TRACK" (perfetto_flat.awk), sorted by track, time
# and position in the file, into slices "TRACK START DURATION NAME". Prints "odd ..." for a line that
# does not nest.

{ track = $3 }
$1 == "begin" {
	name = $0
	sub(/^begin [0-9]+ [^ ]+ /, "", name)
	depth[track]++
	start[track, depth[track]] = $2
	names[track, depth[track]] = name
}
$1 == "end" {
	if (!depth[track]) {
		print "odd", $0
		next
	}
	printf "%s %s %.0f %s\n", track, start[track, depth[track]], $2 - start[track, depth[track]], \
		names[track, depth[track]]
	depth[track]--
}
END {
	for (track in depth)
		if (depth[track])
			print "odd: left open on", track
}
