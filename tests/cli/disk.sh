#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests requests of disks in all filters: the rows, the request that ended a wait, and its times. The times are made.
# tests/unit/test_reconstruct_disk.c tests which events belong together.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# Event text: thread 5 reads 16 KiB from vda on CPU 0, which waits in the queue for 0.3 ms and is served in 3.9 ms. Thread 6
# flushes the disk, and thread 7 is slowed down after too many writes. A test replaces or deletes lines.
scene()
{
	cat <<-'EOF'
	# ## VERSION: 3
	# ## TIMES: 0.00000100 0.20000000
	-1 1 287 0 backend=tracepoint
	-1 1 287 0 cats=0x7fff
	-1 1 287 0 lost_full=0
	-1 2 34 5 reader
	-1 2 34 6 syncer
	-1 2 34 7 writer
	-1 2 283 266338304 vda
	100 0 512 0 5 0 5 0 0 reader.5 (200)
	200 0 2048 0 5 0 3 0 0 read (800)
	10000 1 547 0 5 0 266338304 0 0 disk_queued=vda read 16384 @2048 #0 (223)
	40000 1 548 0 5 0 266338304 0 0 disk_issued=vda read 16384 @2048 #9 (224)
	50000 0 512 0 6 0 6 0 0 syncer.6 (200)
	50100 0 2122 0 6 0 3 0 0 fsync (84a)
	60000 1 548 0 6 0 266338304 0 0 disk_issued=vda flush 0 @0 #10 (224)
	70000 0 512 0 7 0 7 0 0 writer.7 (200)
	70100 0 2049 0 7 0 3 0 0 write (801)
	80000 1 552 0 7 0 0 0 0 dirty_wait (228)
	90000 0 512 0 0 0 0 0 0 -idle-.0 (200)
	430000 0 1320 0 0 0 28 0 0 ide0 (528)
	430010 1 549 0 0 0 266338304 0 0 disk_done=vda read 16384 @2048 #9 (225)
	430020 1 518 0 0 0 5 0 0 runnable.5 (206)
	430030 1 549 0 0 0 266338304 0 0 disk_done=vda flush 0 @0 error 5 #10 (225)
	430040 1 518 0 0 0 6 0 0 runnable.6 (206)
	430050 0 1832 0 0 0 0 0 0 /ide0 (728)
	430100 0 512 0 5 0 5 0 0 reader.5 (200)
	430200 0 2560 0 5 0 16384 0 0 /read (a00)
	440000 0 512 0 6 0 6 0 0 syncer.6 (200)
	440100 0 2634 0 6 0 0 0 0 /fsync (a4a)
	450000 0 512 0 0 0 0 0 0 -idle-.0 (200)
	900000 0 1516 0 0 0 0 0 0 local_timer (5ec)
	900010 1 518 0 0 0 7 0 0 runnable.7 (206)
	900020 0 2028 0 0 0 0 0 0 /local_timer (7ec)
	900100 0 512 0 7 0 7 0 0 writer.7 (200)
	900200 1 553 0 7 0 1 0 0 reclaim (229)
	910000 1 553 0 7 0 0 0 0 reclaim (229)
	920000 0 2561 0 7 0 4096 0 0 /write (a01)
	930000 0 512 0 0 0 0 0 0 -idle-.0 (200)
	EOF
}

scene | "$BIN/eventtospan" 2>"$TAP_TMP/summary" | LC_ALL=C sort >"$TAP_TMP/json"
# PATTERN: start, duration, CPU, pid, arg0, retval and name of the rows whose name matches
rows()
{
	sed -nE "s/^\[ *([0-9.]+), *([0-9.]+), (-?[0-9]+), ([0-9]+), [0-9]+, [0-9]+, ([0-9]+), ([0-9]+), [0-9]+, \"([^\"]*)\".*/\1 \2 \3 \4 \5 \6 \7/p" "$TAP_TMP/json" |
		grep -E "$1"
}
is "rows of the requests" "$(rows ' vda ')" '0.00010000 0.00030000 0 5 1 1 vda read 16384 @2048
0.00040000 0.00390010 0 5 1 1 vda read 16384 @2048
0.00060000 0.00370030 0 6 2 2 vda flush 0 @0 error 5?'
is "waits" "$(rows 'wait_(disk|writeback|reclaim)')" '0.00050000 0.00380020 -1 5 1 0 wait_disk
0.00070000 0.00360040 -1 6 2 0 wait_disk?
0.00090000 0.00810010 -1 7 0 0 wait_writeback'
is "direct reclaim" "$(rows direct_reclaim)" '0.00900200 0.00009800 0 7 0 0 direct_reclaim'

run "$TAP_TMP/json" "$BIN/spantowhy" --pid 5
like "spantowhy: the request" "$(cat "$OUT")" \
	': waited 3\.800 ms for disk vda: read of 16 KiB at sector 2048, queued 300\.00 us, served 3\.900 ms, woken by idle'
like "spantowhy: a step of the path" "$(cat "$OUT")" \
	'reader\.5 waited for disk vda: read of 16 KiB at sector 2048, queued 300\.00 us, served 3\.900 ms$'
like "spantowhy: the sums" "$(cat "$OUT")" ' waited for disk vda: read, 1 step'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 6
like "spantowhy: a flush with an error, inferred" "$(cat "$OUT")" 'for disk vda: flush, error 5 \(inferred\), served 3\.700 ms'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 7
like "spantowhy: dirty throttling" "$(cat "$OUT")" ': waited 8\.100 ms for writeback, woken by idle'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 5 --json
like "spantowhy --json" "$(cat "$OUT")" \
	'"for": "disk", "disk": \{"device": "vda", "operation": "read", "bytes": 16384, "sector": 2048, "queued": 0\.00030000, "served": 0\.00390010, "inferred": false\}'

is "an event without a request is a row" "$(scene | sed 's/^40000 .*/40000 1 548 0 5 0 266338304 0 0 disk_issued (224)/' | "$BIN/eventtospan" 2>/dev/null |
	grep -c '"disk_issued"')" 1
tap_end
