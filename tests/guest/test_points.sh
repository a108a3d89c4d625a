#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 15
# ci
# also: points_patched KERNEL=patched timeout: 4200 needs: patched
#
# Typed tracepoints of programs and of a kernel module are recorded hit by hit. Two programs have
# one tracepoint in common, and each has one of its own. The test switches the tracepoints by
# pattern during the recording. The trace must have exactly the hits that were made. One program was
# started before the module was loaded. Users without permission are refused.
. tests/guest/lib.sh
guest_begin points

# The headers of the patched kernel are not available, so no module is built for it.
kmod=''
if [ "${KERNEL-}" = patched ]; then
	patched_kernel || { fail "the patched kernel is built"; tap_end; }
else
	ok "a kernel module with tracepoints is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
		tests/guest/module/points
	kmod=$BUILD/module/$KVER/points/points_test.ko
fi

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
serve()		# NAME IN OUT: starts tpoints, with commands by descriptor IN and answers by OUT
{
	mkfifo /tmp/$1.in /tmp/$1.out
	tpoints serve $1 </tmp/$1.in >/tmp/$1.out &
	eval "exec $2>/tmp/$1.in $3</tmp/$1.out"
	read -r word pid <&$3
	echo "$1 $pid" >>/out/pids
}
say()		# IN OUT COMMAND...
{
	in=$1 out=$2
	shift 2
	echo "$*" >&$in
	read -r answer <&$out
	echo "$*: $answer" >>/out/answers
}
both()		# sends a command to both programs at the same time
{
	echo "$*" >&4
	echo "$*" >&6
	read -r answer <&5
	read -r answer <&7
}
serve a 4 5
say 4 5 hit 100			# the module is not loaded
must insmod /lib/kutrace.ko mb=16
say 4 5 hit 200			# the module is loaded, but the program has not noticed it
say 4 5 look
serve b 6 7
tpoints list >/out/list1
both hit 300			# nothing is recorded yet
must kutrace_control go
both hit 1009			# everything is recorded
tpoints switch 'only_?' off >>/out/switched
both hit 1013
tpoints switch '*' off >>/out/switched
both hit 1019
tpoints switch 'shared*' on >>/out/switched
both hit 1021
tpoints switch '*a' on >>/out/switched
both fork 1031
tpoints list >/out/list2
if [ -f /lib/points_test.ko ]; then
	more=/sys/module/points_test/parameters/more
	must insmod /lib/points_test.ko hits=503
	echo 11 >$more
	tpoints switch kmod_tick off
	echo 13 >$more
	tpoints switch kmod_tick on
	kutrace_control mask -point
	echo 19 >$more
	kutrace_control mask +point
	echo 17 >$more
	tpoints switch kmod_tick off
	must rmmod points_test
	must insmod /lib/points_test.ko hits=7
	must rmmod points_test
fi
# Switch a tracepoint off and on while the programs make hits.
echo "hit 30011" >&4
echo "hit 30011" >&6
i=0
while [ $i -lt 20 ]; do
	tpoints switch shared_io off >/dev/null
	tpoints switch shared_io on >/dev/null
	i=$((i + 1))
done
read -r answer <&5
read -r answer <&7
# A program that did not run between an off and an on has no gap in its hits. Make sure that each
# program has at least one gap.
tpoints switch shared_io off >/dev/null
both hit 1
tpoints switch shared_io on >/dev/null
both hit 1
must kutrace_control stop /out/t.trace
both hit 400			# nothing is recorded any more
tpoints switch '*' on >>/out/switched
# Another recording also has the definitions.
must kutrace_control go
both hit 11
must kutrace_control stop /out/again.trace
exec 4>&- 5<&- 6>&- 7<&-
wait
must rmmod kutrace

must insmod /lib/kutrace.ko mb=4 marks_all=1
must kutrace_control gowrap
tpoints bad >/out/bad
tpoints nobody fill 2000 >/out/nobody
tpoints nobody switch '*' off >>/out/nobody
tpoints nobody list >>/out/nobody
tpoints nobody define 'good u8 a|%u' >>/out/nobody
tpoints fill 5000 >/out/full
tpoints define 'one_more|' >>/out/full
must kutrace_control stop /out/full.trace
must rmmod kutrace
SCRIPT

# hits EVENTS NAME PID: prints the number of hits, and "in order" if no number occurs twice
hits()
{
	event_awk -v name="$2" -v pid="$3" '
	!/^#/ && $3 == EV_TPOINT && $10 == name && (pid == "-" || $5 == pid) {
		split($11, n, "=")
		this = n[2] < 0 ? -n[2] : n[2] + 0
		if (count++ && this <= last)
			bad = 1
		last = this
	}
	END { print count + 0, bad ? "out of order" : "in order" }' "$1"
}

pid_of()
{
	awk -v name="$1" '$1 == name { print $2 }' "$OUT/pids"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 240 --file "$GUEST_BIN/tpoints" \
	${kmod:+--file} ${kmod:+"$kmod:/lib/points_test.ko"}; then
	is "a program that started before the module was loaded finds the module when it checks" \
		"$(sed -n 's/^look: //p' "$OUT/answers" | head -n 1)" "look 3"
	# The tracepoint was defined by both programs and by the program that lists.
	like "tracepoints are listed before anything was recorded" "$(cat "$OUT/list1")" \
		'^1 on 3 [a-z_]* '
	is "equal definitions have the same id" "$(grep -c shared_io "$OUT/list1")" 1
	is "definition of shared_io" "$(sed -n 's/^[0-9]* on 3 shared_io/shared_io/p' "$OUT/list1")" \
		"shared_io u32 n, s32 pid, str file|n=%u pid=%d file=%s"
	is "number of tracepoints switched by a pattern" "$(tr '\n' ' ' <"$OUT/switched")" \
		"switched 2 switched 3 switched 1 switched 1 switched $([ "$kmod" ] && echo 5 || echo 3) "
	is "the list shows the switches" "$(awk '{ print $4, $2 }' "$OUT/list2" | sort | tr '\n' ' ')" \
		"only_a on only_b off shared_io on "
	trace_ok first "$OUT/t.trace"
	trace_ok again "$OUT/again.trace"
	ok "event text and JSON" trace_text "$OUT/t.trace"
	ok "event text and JSON of the other recording" trace_text "$OUT/again.trace"
	a=$(pid_of a) b=$(pid_of b)
	events=$OUT/t.trace.events
	# The hits from number $first on were made while the tracepoint was switched off and on.
	for name in a b; do
		pid=$(pid_of $name)
		first=$(($([ $name = a ] && echo 300 || echo 0) + 300 + 1009 + 1013 + 1019 + 1021 + 1031))
		last=$(event_awk -v pid="$pid" '!/^#/ && $3 == EV_TPOINT && $10 == "shared_io" && $5 == pid {
			split($11, n, "="); if (n[2] >= first) count++ }
			END { print count + 0 }' first="$first" "$events")
		between "$name: hits while the tracepoint was switched off and on" "$last" 1 30012
		between "$name: gaps between its hits, at most one for each time it was off" \
			"$(event_awk -v pid="$pid" -v first="$first" '
			# The first of these hits also counts as a gap if hits before it are
			# missing.
			BEGIN { before = first - 1 }
			!/^#/ && $3 == EV_TPOINT && $10 == "shared_io" && $5 == pid {
			split($11, n, "="); if (n[2] < first) next
			gaps += n[2] != before + 1; before = n[2] }
			END { print gaps + 0 }' "$events")" 1 21
		is "$name: shared_io in the trace" "$(hits "$events" shared_io "$pid")" \
			"$((1009 + 1013 + 1021 + last)) in order"
	done
	is "only_a: exactly its own hits" "$(hits "$events" only_a "$a")" \
		"$((1009 + 30013)) in order"
	is "only_b: only the hits before it was off" "$(hits "$events" only_b "$b")" "1009 in order"
	is "only_b: no other process has hits" "$(hits "$events" only_b -)" "1009 in order"
	is "hits of a child belong to the child" "$(event_awk -v a="$a" -v b="$b" '
		!/^#/ && $3 == EV_TPOINT && $10 ~ /^(shared_io|only_a)$/ && $5 != a && $5 != b {
			c[$10]++; if ($10 == "shared_io" && "pid=" $5 != $12) bad++ }
		END { print c["shared_io"], c["only_a"], bad + 0 }' "$events")" "2062 1031 0"
	is "the field pid equals the event's pid" "$(event_awk '!/^#/ && $3 == EV_TPOINT &&
		$10 == "shared_io" && "pid=" $5 != $12 { n++ } END { print n + 0 }' "$events")" 0
	like "a text that does not fit is cut" "$(cat "$events")" \
		' shared_io n=[0-9]*[02468] pid=[0-9]* file=a/file/name/that/is/so/long/that/it/d\.\.\. \(109\)$'
	like "a text that fits is complete" "$(cat "$events")" \
		' shared_io n=[0-9]*[13579] pid=[0-9]* file=odd\.c \(109\)$'
	like "formatted: width, double" "$(cat "$events")" ' only_a n=7[0-9]1 of a        half=3[0-9]*\.5 \(109\)$'
	like "formatted: signed, hex, pointer" "$(cat "$events")" ' only_b n=-600 58\|0x258 \(109\)$'
	[ -z "$kmod" ] || is "kernel module: hits in order, none before its definition, none while off" \
		"$(hits "$events" kmod_tick -)" "$((503 + 11 + 17)) in order"
	[ -z "$kmod" ] || is "kernel module: fields" "$(awk '!/^#/ && $10 == "kmod_tick" && $11 == "n=502" {
		print $12, $13 }' "$events")" "left=-502 comm=insmod"
	[ -z "$kmod" ] || is "kernel module: two hits in interrupts on every CPU" "$(awk '!/^#/ && $10 == "kmod_irq" {
		print $4, $11 }' "$events" | sort | tr '\n' ' ')" "0 cpu=0 0 cpu=0 1 cpu=1 1 cpu=1 "
	is "every event has its definition" "$(grep -c ' point_[0-9]' "$events")" 0
	is "JSON has as many hits as event text" \
		"$(grep -cE ", $EV_TPOINT, "'.*"(shared_io|only_|kmod_)' "$OUT/t.trace.json")" \
		"$(event_awk '!/^#/ && $3 == EV_TPOINT' "$events" | wc -l)"
	like "JSON: name and fields" "$(cat "$OUT/t.trace.json")" \
		", $EV_TPOINT, "'[0-9]*, *0, *[0-9]*, "only_b n=-600 58\|0x258"\]'
	like "another recording: shared_io" \
		"$(hits "$OUT/again.trace.events" shared_io "$a") $(hits "$OUT/again.trace.events" shared_io "$b")" \
		'^11 in order 11 in order$'
	is "another recording: every event has its definition" \
		"$(grep -c ' point_[0-9]' "$OUT/again.trace.events")" 0

	# --- refused definitions and calls ---
	for i in $(seq 0 15); do
		is "bad text $i" "$(grep "^text-$i " "$OUT/bad")" "text-$i EINVAL"
	done
	for what in text-unterminated length record-0 record-unknown record-65536 record-long \
		record-4G switch-2 switch-unterminated byte-unknown byte-id-0 byte-length \
		byte-reserved map-beyond; do
		is "$what" "$(grep "^$what " "$OUT/bad")" "$what EINVAL"
	done
	for what in nowhere record-nowhere byte-at-0 byte-in-kernel byte-beyond byte-in-code \
		byte-shared byte-nowhere; do
		is "$what" "$(grep "^$what " "$OUT/bad")" "$what EFAULT"
	done
	for what in good record-good byte-good byte-again forget-good; do
		is "$what" "$(grep "^$what " "$OUT/bad")" "$what ok"
	done
	for what in switch-none forget-none forget-again; do
		is "$what" "$(grep "^$what " "$OUT/bad")" "$what ENOENT"
	done
	is "no byte of a refused call was written" "$(grep '^untouched ' "$OUT/bad")" "untouched 0 0"
	is "the byte of an accepted call was written" "$(grep '^on ' "$OUT/bad")" "on 1"
	is "a user who may only mark can define a limited number, and cannot switch or list; existing definitions can be used" \
		"$(tr '\n' ' ' <"$OUT/nobody")" "filled 256 ENOSPC switch EPERM list EPERM 4 "
	like "all users together have a limit, until their programs end" \
		"$(tr '\n' ' ' <"$OUT/full")" '^filled 4092 ENOSPC [0-9]+ $'
	ok "a trace with all definitions is sound" "$BUILD/bin/checktrace" "$OUT/full.trace"
fi
tap_end
