#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 450
# takes: 45
# ci
# also: ttrace_patched KERNEL=patched timeout: 4200 takes: 25 needs: patched ci
#
# Scripts read each block once through the files beside /dev/kutrace/control: with cat and dd, with
# a program that polls, and with settimestamp. They also use setmask and the list of tracepoints
# during the recording. The blocks must equal those of the dump.
. tests/guest/lib.sh
guest_begin ttrace
if [ "${KERNEL-}" = patched ]; then
	patched_kernel || { fail "the patched kernel is built"; tap_end; }
fi

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
d=/dev/kutrace
# load COUNT MASK: makes COUNT pairs of system calls on the CPUs of the mask, with at least 16 bytes
# a pair
load() { taskset $2 dd if=/dev/zero of=/dev/null bs=1 count=$1 2>/dev/null; }
size() { stat -c %s $1; }
until_more() { until [ $(size $1) -gt $2 ]; do usleep 20000; done; }
# until_open PID NAME: waits until the process has the device file open
until_open() { until ls -l /proc/$1/fd 2>/dev/null | grep -q "$d/$2\$"; do usleep 20000; done; }
try() { echo "$1 $2: $(cpuread try $d/$1 "$2")" >>/out/tries; }
must insmod /lib/kutrace.ko mb=8
stat -c '%n %a %u %g' $d/* >/out/nodes
cat $d/ctl >/out/ctl0
cat $d/cpu000 >/out/empty
cpuread $d/cpu000 /out/poll0 >/out/said0 &
until_open $! cpu000
cpuread $d/cpu001 /out/poll1 >/out/said1 &
until_open $! cpu001
must kutrace_control go
load 30000 1 & load 30000 2
# A full block can be read only after a grace period of RCU.
until_more /out/poll0 0
cat $d/cpu000 >/out/mid0
cat $d/tracepoints >/out/list1
echo 'syscall64 off' >$d/tracepoints || die "cannot write $d/tracepoints"
cat $d/ctl >/out/ctl1
cat $d/tracepoints >/out/list2
load 20000 3
cat $d/tracepoints >/out/list3
cat /out/ctl0 >$d/ctl || die "cannot write $d/ctl"
cat $d/ctl >/out/ctl2
printf 'hit 100\n' | tpoints serve a >/dev/null
load 20000 1; load 20000 2
kutrace_control status --json >/out/status.json
must kutrace_control stop /out/t.trace
kutrace_control status --json >/out/stopped.json
wait
cat $d/tracepoints >/out/list4
cat $d/cpu000 >/out/cat0
dd if=$d/cpu001 of=/out/dd1 bs=64k 2>/dev/null
dd if=$d/cpu000 of=/out/odd0 bs=1000 2>/dev/null
cat $d/aux >/out/aux
# the time count of the 4th block, low 56 bits
count=$(dd if=/out/cat0 bs=65536 skip=3 count=1 2>/dev/null | od -An -td8 -N8 | tr -d ' ')
cpuread $d/cpu000 "settimestamp $count" /out/since0 -
cpuread $d/cpu000 "settimestamp 0x7fffffffffffff" /out/never0 -
for c in 'setmask 0 0x10' 'setbits 0x10' 'clrbits 0' 'setmask 1' 'setmask x y' 'setbits' \
	'setbits 1 2' 'frobnicate 1' 'setmask 0 1 2' 'session none' 'session main' ''; do
	try ctl "$c"
done
for c in 'mark_a off' 'mark_? on' 'MARK off' '* on' 'nothing on' 'mark_a' 'mark_a maybe'; do
	try tracepoints "$c"
done
for c in 'settimestamp 5' 'settimestamp' 'settimestamp x' 'setts 5'; do try cpu000 "$c"; done
try aux 'setbits 1'
# another recording after a reset is read from its beginning
exec 7<$d/cpu000
must kutrace_control go
load 20000 1
must kutrace_control stop /out/two.trace
cat <&7 >/out/two0
exec 7<&-
must rmmod kutrace

# Fill the buffer more than twice, in parts of at most a third. One reader reads each part before
# the next part begins; the other reader is stopped until all parts are written.
must insmod /lib/kutrace.ko mb=8 mode=0640
stat -c '%n %a %u %g' $d/ctl $d/cpu001 >/out/nodes2
chgrp 500 $d/ctl
must kutrace_control gowrap
cpuread $d/cpu000 /out/slow0 >/out/slow & slow=$!
until_open $slow cpu000
cpuread $d/cpu001 /out/fast1 >/out/fast &
until_open $! cpu001
load 20000 1
until_more /out/slow0 0
kill -STOP $slow
for part in $(seq 16); do
	had=$(size /out/fast1)
	load 40000 1 & load 40000 2; wait $!
	# Wait until the reader has read eight more blocks, and then no block for a while.
	until_more /out/fast1 $((had + 7 * 65536))
	until had=$(size /out/fast1); usleep 300000; [ $(size /out/fast1) = $had ]; do :; done
done
had=$(size /out/slow0)
kill -CONT $slow
until_more /out/slow0 $had
must kutrace_control stop /out/wrap.trace
wait
must rmmod kutrace

# The recording ends while both readers wait: each must read the last block before the end of file.
for round in 1 2 3 4 5 6; do
	must insmod /lib/kutrace.ko mb=4
	for cpu in 0 1; do
		cpuread $d/cpu00$cpu /out/end$round.$cpu >/dev/null &
		until_open $! cpu00$cpu
	done
	must kutrace_control go
	load 300 1 & load 300 2
	must kutrace_control stop /tmp/end.trace
	wait
	for cpu in 0 1; do
		cat $d/cpu00$cpu >/out/all$round.$cpu
	done
	must rmmod kutrace
done
SCRIPT

# blocks FILE: prints a line for each block: its first word (CPU and count), and a checksum without
# the second word, which the dump fills in
blocks()
{
	split -b 65536 -a 4 "$1" "$TAP_TMP/block."
	for _block in "$TAP_TMP"/block.*; do
		printf '%s %s\n' "$(od -An -tx8 -N8 "$_block" | tr -d ' ')" \
			"$(tail -c +17 "$_block" | cksum)"
	done
	rm -f "$TAP_TMP"/block.*
}

state()	# LIST NAME: prints the list's fields for that name
{
	awk -v name="$2" '$1 == name { print $3, $4, $5; exit }' "$OUT/$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 350 --file "$GUEST_BIN/tpoints" \
	--file "$GUEST_BIN/cpuread"; then
	is "nodes" "$(grep -v control "$OUT/nodes" | tr '\n' ' ')" \
		"/dev/kutrace/aux 660 0 0 /dev/kutrace/cpu000 660 0 0 /dev/kutrace/cpu001 660 0 0 /dev/kutrace/ctl 660 0 0 /dev/kutrace/tracepoints 660 0 0 "
	is "nodes have the mode of the module's parameter" "$(tr '\n' ' ' <"$OUT/nodes2")" \
		"/dev/kutrace/ctl 640 0 0 /dev/kutrace/cpu001 640 0 0 "
	is "without a recording there is nothing to read" "$(wc -c <"$OUT/empty")" 0

	# --- cpuNNN ---
	trace_ok dump "$OUT/t.trace"
	blocks "$OUT/t.trace" | sort >"$TAP_TMP/dump"
	for cpu in 0 1; do
		like "CPU $cpu: a polling program ends by itself, with nothing lost" \
			"$(cat "$OUT/said$cpu")" '^blocks [1-9][0-9]* nothing 0 overruns 0 hup$'
		blocks "$OUT/poll$cpu" >"$TAP_TMP/poll"
		is "CPU $cpu: every block that it read is in the dump" \
			"$(sort "$TAP_TMP/poll" | comm -23 - "$TAP_TMP/dump" | wc -l)" 0
		is "CPU $cpu: no block is read twice" "$(sort "$TAP_TMP/poll" | uniq -d | wc -l)" 0
		is "CPU $cpu: blocks are in the order of time" "$(cut -d' ' -f1 "$TAP_TMP/poll" | sort | cmp - \
			<(cut -d' ' -f1 "$TAP_TMP/poll") 2>&1)" ""
	done
	used=$(sed -n 's/.*"used_blocks": \([0-9]*\).*/\1/p' "$OUT/stopped.json" | head -n 1)
	is "the blocks of both CPUs are all used blocks" \
		"$(($(wc -c <"$OUT/poll0") / 65536 + $(wc -c <"$OUT/poll1") / 65536))" "$used"
	is "cat reads the same" "$(cmp "$OUT/cat0" "$OUT/poll0" 2>&1)" ""
	is "dd reads the same" "$(cmp "$OUT/dd1" "$OUT/poll1" 2>&1)" ""
	is "dd with an odd size reads the same" "$(cmp "$OUT/odd0" "$OUT/cat0" 2>&1)" ""
	mid=$(wc -c <"$OUT/mid0")
	between "while recording: only full blocks" "$mid" 65536 \
		$(($(wc -c <"$OUT/cat0") - 65536))
	is "while recording: the first blocks" "$(cmp -n "$mid" "$OUT/mid0" "$OUT/cat0" 2>&1)" ""
	# Three blocks begin before the timestamp. If an event was stored late, the third has an
	# event after the timestamp, and is not skipped.
	since=$(wc -c <"$OUT/since0")
	all=$(wc -c <"$OUT/cat0")
	between "settimestamp: all blocks with later events, so without the first two or three" \
		$(((all - since) / 65536)) 2 3
	is "settimestamp: the last blocks" "$(tail -c "$since" "$OUT/cat0" | cmp - "$OUT/since0" 2>&1)" ""
	is "settimestamp: no block after a time in the future" "$(wc -c <"$OUT/never0")" 0
	blocks "$OUT/two.trace" | sort >"$TAP_TMP/dump2"
	blocks "$OUT/two0" | sort >"$TAP_TMP/two0"
	between "a file that was open before: the next recording" "$(wc -l <"$TAP_TMP/two0")" 1 100
	is "a file that was open before: from its beginning" \
		"$(comm -23 "$TAP_TMP/two0" "$TAP_TMP/dump2" | wc -l) $(grep -c '^00' "$TAP_TMP/two0")" \
		"0 $(wc -l <"$TAP_TMP/two0")"
	like "a reader too slow for a recording that wraps is notified, and continues" "$(cat "$OUT/slow")" \
		'^blocks [1-9][0-9]* nothing 0 overruns [1-9][0-9]* hup$'
	blocks "$OUT/slow0" >"$TAP_TMP/slow"
	is "too slow: no block twice, and blocks in order" "$(cut -d' ' -f1 "$TAP_TMP/slow" | sort -u | cmp - \
		<(cut -d' ' -f1 "$TAP_TMP/slow") 2>&1)" ""
	like "a fast reader gets all blocks" "$(cat "$OUT/fast")" "^blocks [1-9][0-9]* nothing 0 overruns 0 hup\$"

	whole=0
	for end in "$OUT"/end?.?; do
		[ ! -s "$end" ] || ! cmp -s "$end" "$OUT/all${end##*/end}" || whole=$((whole + 1))
	done
	is "the recording ends while readers wait: each has all blocks, including the last one" $whole 12

	# --- aux ---
	magic=$(od -An -tx8 -N8 "$OUT/aux" | tr -d ' ')
	is "aux: magic" "$magic" 0001020304050607
	is "aux: header and 1 MiB" "$(wc -c <"$OUT/aux")" $((4096 + 1048576))
	is "aux: version 1.0, sizes, CPUs" \
		"$(od -An -tx4 -j8 -N16 "$OUT/aux" | tr -s ' ') $(od -An -td8 -j24 -N16 "$OUT/aux" | tr -s ' ')" \
		" 00010000 00010000 00030000 00000002  4096 1048576"
	first=$(od -An -td8 -j40 -N8 "$OUT/aux" | tr -d ' ')
	last=$(od -An -td8 -j48 -N8 "$OUT/aux" | tr -d ' ')
	at=$first n=0 bad=0 idle=0
	while [ "$at" -lt "$last" ] && [ $n -lt 20000 ]; do
		head=$(od -An -tu4 -j$((4096 + at % 1048576)) -N4 "$OUT/aux" | tr -d ' ')
		[ $((head & 1)) = 0 ] || bad=$((bad + 1))
		[ $((head >> 1)) -ge 24 ] || break
		text=$(tail -c +$((4096 + at % 1048576 + 25)) "$OUT/aux" | head -c $(((head >> 1) - 24)) |
			tr -d '\0')
		[ "$text" != -idle- ] || idle=$((idle + 1))
		at=$((at + (head >> 1)))
		n=$((n + 1))
	done
	is "aux: entries lead from first to last, all valid" "$at $bad" "$last 0"
	between "aux: names in it" $n 50 20000
	between "aux: the idle task has a name" $idle 1 10

	# --- ctl, tracepoints ---
	like "ctl shows that all kinds are recorded" "$(cat "$OUT/ctl0")" '^setmask 0x0*([37]?f+) 0x0*\1$'
	is "a list of kinds is switched off while recording" "$(state list2 syscall64 | cut -d' ' -f1)" off
	is "ctl shows the change" "$([ "$(cat "$OUT/ctl1")" = "$(cat "$OUT/ctl0")" ] || echo other)" other
	is "some kinds of the category are on" "$(state list2 SYSCALL | cut -d' ' -f1)" some
	off2=$(state list2 syscall64 | cut -d' ' -f2)
	off3=$(state list3 syscall64 | cut -d' ' -f2)
	is "no system call while they were off" "$((off3 - off2))" 0
	is "writing the old text of ctl restores the mask" "$(cat "$OUT/ctl2")" "$(cat "$OUT/ctl0")"
	ok "event text" trace_text "$OUT/t.trace"
	events=$OUT/t.trace.events
	is "hits: system calls" "$(state list4 syscall64)" "on $(event_awk '!/^#/ && $3 >= EV_SYSCALL64 && $3 < EV_SYSCALL64_RETURN' \
		"$events" | wc -l) 0"
	is "hits: context switches" "$(state list4 context_switch)" \
		"on $(event_awk '!/^#/ && $3 == EV_USERPID && $2 == 0' "$events" | wc -l) 0"
	is "hits: wakeups" "$(state list4 runnable)" "on $(event_awk '!/^#/ && $3 == EV_RUNNABLE' "$events" | wc -l) 0"
	is "hits: a typed tracepoint" "$(state list4 shared_io)" "on 100 -"
	is "hits: all typed tracepoints" "$(state list4 point)" "on 200 0"
	is "hits: of a category" "$(state list4 SCHED | cut -d' ' -f2)" \
		"$(awk '$2 == "SCHED" { n += $4 } END { print n }' "$OUT/list4")"
	expect='ctl|setmask 0 0x10|ok
ctl|setbits 0x10|ok
ctl|clrbits 0|ok
ctl|setmask 1|EINVAL
ctl|setmask x y|EINVAL
ctl|setbits|EINVAL
ctl|setbits 1 2|EINVAL
ctl|frobnicate 1|EINVAL
ctl|setmask 0 1 2|EINVAL
ctl|session none|ENOENT
ctl|session main|ok
ctl||ok
tracepoints|mark_a off|ok
tracepoints|mark_? on|ok
tracepoints|MARK off|ok
tracepoints|* on|ok
tracepoints|nothing on|ENOENT
tracepoints|mark_a|EINVAL
tracepoints|mark_a maybe|EINVAL
cpu000|settimestamp 5|ok
cpu000|settimestamp|EINVAL
cpu000|settimestamp x|EINVAL
cpu000|setts 5|EINVAL
aux|setbits 1|EINVAL'
	while IFS='|' read -r file command answer; do
		is "$file: $command" "$(grep -Fx -m 1 "$file $command: $answer" "$OUT/tries")" \
			"$file $command: $answer"
	done <<<"$expect"
fi
tap_end
