#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 45
# needs: patched
# ci
# also: debug_ipc KUTRACE_PATCHED_CONFIG=debug timeout: 2400 takes: 300 needs: debug full
#
# Instructions per cycle and cache misses in a trace equal the values of a test's own counters. A
# guest has no counters: goipc reports this, and records nothing. Then kutrace_test_pmu.ko provides
# counters with known values, and every entry of every trace must have exactly these values: with
# go, wrap, sessions with and without counters, snapshot, stream, and the control call as the
# original's library uses it; while the values change; and when one CPU has no counters, or goes
# offline and comes back. On the debug kernel, lockdep checks the locks under which perf and CPU
# hotplug take and release counters.
. tests/guest/lib.sh
guest_begin ipc${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
top=$OUT

ok "the counters are built for the stock kernel" sh -c \
	"BUILD='$BUILD' tests/bench/counters.sh '$KDIR' '$KVER' '$KSUITE' >'$TAP_TMP/pmu'"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# Makes calls, faults and switches on every CPU.
cat >/bin/work <<'END'
#!/bin/sh
for cpu in 0 1; do
	taskset -c $cpu sh -c 'ls -l /bin /proc/1 >/dev/null; usleep 20000; cat /proc/stat' >/dev/null
done
END
chmod +x /bin/work
counts()	# EIGHTHS MISSES
{
	echo $1 >/sys/module/kutrace_test_pmu/parameters/eighths
	echo $2 >/sys/module/kutrace_test_pmu/parameters/misses
}
must insmod /lib/kutrace.ko mb=8

# --- no counters ---
must_fail kutrace_control goipc 2>>/out/refused
must_fail kutrace_control goipcwrap 2>>/out/refused
must_fail kutrace_control run --llc -o /out/no.trace -- true 2>>/out/refused
echo 'reset ipc' | kutrace_control 2>>/out/refused && die "reset ipc succeeded"
kutrace_control test >/out/test.refused
must kutrace_control run -o /out/without.trace -- true

# --- every value of the counter bits ---
must insmod /lib/kutrace_test_pmu.ko
for eighths in 0 3 12 21 40; do
	counts $eighths 0
	must kutrace_control goipc
	work
	if [ $eighths = 3 ]; then
		kutrace_control status --json >/out/status.json
		kutrace_control status >/out/status.text
		must_fail rmmod kutrace_test_pmu 2>>/out/busy
	fi
	must kutrace_control stop /out/ipc$eighths.trace
done
must ipcread /out/read.trace >/out/read
for eighths in $2; do
	counts $eighths 0
	must kutrace_control run --ipc -o /out/at$eighths.trace -- true
done
counts 40 100
must kutrace_control run --llc -o /out/llc.trace -- work
must kutrace_control run --ipc --llc -o /out/both.trace -- true
counts 8 0
must kutrace_control go
work
must kutrace_control stop /out/plain.trace

# --- values change during a recording; several sessions ---
counts 5 0
must kutrace_control goipc
must kutrace_control --session plain start --size 2
must kutrace_control --session misses start --size 2 --llc
work
marker before 1
counts 24 9
marker behind 1
work
must kutrace_control --session misses stop /out/misses.trace
must kutrace_control --session plain stop /out/beside.trace
work
must kutrace_control snapshot -o /out/snapshot.trace
must kutrace_control stop /out/changes.trace
must kutrace_control session destroy plain
must kutrace_control session destroy misses

# --- a flight recorder, a stream ---
counts 12 0
must kutrace_control --session fly start --size 1 --wrap --ipc
dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null
must kutrace_control --session fly snapshot -o /out/fly.trace
must kutrace_control --session fly stop /out/flown.trace
must kutrace_control session destroy fly
must kutrace_control goipc
kutrace_control stream -o /out/stream.trace 2>/dev/null &
stream=$!
dd if=/dev/zero of=/dev/null bs=1 count=50000 2>/dev/null
must kutrace_control stop /out/streamed.trace
must wait $stream

# --- a CPU goes offline and comes back ---
must kutrace_control goipc
if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	for round in 1 2 3; do
		echo 0 >/sys/devices/system/cpu/cpu1/online || die "cannot write /sys/devices/system/cpu/cpu1/online"
		echo 1 >/sys/devices/system/cpu/cpu1/online || die "cannot write /sys/devices/system/cpu/cpu1/online"
	done
	echo done >/out/hotplug
fi
work
must kutrace_control stop /out/hotplug.trace
# without the device, by the system call alone
if [ $1 = patched ]; then
	mv /dev/kutrace/control /dev/kutrace/away
	must kutrace_control goipc
	work
	must kutrace_control stop /out/call.trace
	mv /dev/kutrace/away /dev/kutrace/control
fi
# If one CPU has no counters, goipc fails and releases the counters of the other CPU.
echo 1 >/sys/module/kutrace_test_pmu/parameters/cpus
must_fail kutrace_control goipc 2>/out/one_cpu
kutrace_control test >/out/test.one_cpu
must kutrace_control run -o /out/after.trace -- true
must rmmod kutrace_test_pmu
dmesg | grep kutrace: >/out/said
must rmmod kutrace
SCRIPT

# Prints each different value of the counter bits of entries and merged returns. Omits a 0 of the
# first two entries of a CPU: the first entry has no value, and event text has a PC sample before
# its timer interrupt. In event text, names, heads of blocks and PC samples have no counter bits.
steps()		# EVENTS [FROM TO]: between these marks
{
	event_awk -v from="mark_c=$2" -v to="mark_c=$3" '
	/^#/ || $3 < EV_FIRST { next }
	$10 == to { exit }
	from != "mark_c=" && $10 != from && !on { seen[$4] = 2; next }
	$10 == from { on = 1; next }
	$3 == EV_USERPID && $9 == 0 { next }
	$3 == EV_PC_U || $3 == EV_PC_K { next }
	seen[$4]++ >= 2 || $9 % 16 { count[$9 % 16]++ }
	$3 >= EV_TRAP && int($3 / EV_RETURN_BIT) % 2 == 0 && $2 > 1 { count[int($9 / 16)]++ }
	END { for (step in count) print step }' "$1" | sort -n | xargs
}

# Prints the flags of blocks with counters, or 0 if no block has counters, and checks the size of
# the file.
blocks()	# TRACE
{
	size=$(stat -c %s "$1")
	at=0
	flags=
	while [ $at -lt "$size" ]; do
		byte=$((0x$(od -An -tx1 -j $((at + 15)) -N1 "$1" | tr -d ' ')))
		[ $((byte & 0xA0)) = 0 ] || flags="$flags $((byte & 0xA0))"
		at=$((at + 65536 + ((byte & 0xA0) ? 8192 : 0)))
	done
	echo ${flags:-0} | tr ' ' '\n' | sort -u | xargs
	[ $at = "$size" ] || echo "not a whole block at its end"
}

# Eighths of an instruction per cycle, and the value of the counter bits for them.
edges='0=0 1=1 2=2 4=4 5=5 6=6 7=7 8=8 9=8 10=9 11=9 12=10 13=10 14=11 15=11 16=12 19=12 20=13
	23=13 24=14 27=14 28=15 1000=15'

ipc_checks()	# LABEL
{
	is "$1: each request is refused with the reason" \
		"$(cut -d: -f3 "$OUT/refused" | sort | uniq -c | tr -s ' ' | sed 's/^ //')" \
		"4 no hardware counters are available (most virtual machines have none)"
	like "$1: nothing is recorded after a refusal" "$(cat "$OUT/test.refused")" 'not recording$'
	ok "$1: no file is written after a refusal" test ! -e "$OUT/no.trace"
	like "$1: the log has the missing counter" "$(cat "$OUT/said")" \
		'CPU 0: no counter of instructions: error -[0-9]'
	for t in without ipc0 ipc3 ipc12 ipc21 ipc40 read llc both plain changes misses beside \
		snapshot fly flown stream streamed hotplug after; do
		[ $t = read ] || trace_ok "$1: $t" "$OUT/$t.trace"
		ok "$1: $t: the filters read it" trace_text "$OUT/$t.trace"
	done
	for pair in 0=0 3=3 12=10 21=13 40=15; do
		t=ipc${pair%=*}
		is "$1: ${pair%=*} eighths: all entries have the counter bits ${pair#*=}" \
			"$(steps "$OUT/$t.trace.events")" "${pair#*=}"
		is "$1: $t: each data block has its counter bytes" "$(blocks "$OUT/$t.trace")" 128
		between "$1: $t: entries" "$(grep -vc '^#' "$OUT/$t.trace.events")" 500 1000000
	done
	wrong=
	for pair in $edges; do
		t=$OUT/at${pair%=*}.trace
		trace_text "$t" && [ "$(steps "$t.events")" = "${pair#*=}" ] || wrong="$wrong $pair"
	done
	is "$1: counter bits of the lowest and highest rate for each value" "$wrong" ""
	is "$1: spans have the counter bits" "$(awk -F, '$1 ~ /^\[ / && $2 > 0 && $6 >= 65536 && $9 != 10 { n++ }
		END { print n + 0 < NR / 10 }' "$OUT/ipc12.trace.json")" 1
	is "$1: the counter bits of 100 misses are 5" "$(steps "$OUT/llc.trace.events")" 5
	is "$1: the blocks have the flag of misses" "$(blocks "$OUT/llc.trace")" 32
	is "$1: with both counters, entries have the upper bits of each" "$(steps "$OUT/both.trace.events")" 13
	is "$1: with both counters, the blocks have both flags" "$(blocks "$OUT/both.trace")" 160
	for t in without plain beside after; do
		is "$1: $t: no counters" "$(blocks "$OUT/$t.trace") $(steps "$OUT/$t.trace.events")" "0 0"
	done
	is "$1: counter bits before the change" "$(steps "$OUT/changes.trace.events" '' before)" 5
	is "$1: counter bits after the change" "$(steps "$OUT/changes.trace.events" behind)" 14
	is "$1: counter bits of another session after the change" "$(steps "$OUT/misses.trace.events" behind)" 2
	is "$1: counter bits in a snapshot" "$(steps "$OUT/snapshot.trace.events" behind)" 14
	for t in fly flown stream streamed; do
		is "$1: $t" "$(steps "$OUT/$t.trace.events") $(blocks "$OUT/$t.trace")" "10 128"
	done
	between "$1: context switches without counter bits are heads of blocks" \
		"$(event_awk '!/^#/ && $3 == EV_USERPID && $9 == 0 { n++ } END { print n + 0 }' "$OUT/flown.trace.events")" \
		1 $(($(stat -c %s "$OUT/flown.trace") / 73728 + 2))
	like "$1: blocks by the commands of the control call" "$(cat "$OUT/read")" '^[0-9]* blocks, [1-9][0-9]* with bytes$'
	for t in read ipc40; do
		# without the names that the library adds
		event_awk '!/^#/ && $3 >= EV_FIRST { print $1, $2, $3, $4, $5, $6, $7, $8, $9 }' \
			"$OUT/$t.trace.events" >"$OUT/$t.numbers"
	done
	ok "$1: the control call reads the same entries as a dump has" cmp "$OUT/read.numbers" "$OUT/ipc40.numbers"
	like "$1: status" "$(cat "$OUT/status.text")" '^counters    instructions per cycle$'
	like "$1: status --json" "$(cat "$OUT/status.json")" '"ipc": true,'
	like "$1: the counters' module cannot be unloaded while recording" "$(cat "$OUT/busy")" 'temporarily unavailable|in use'
	like "$1: refused if one CPU has no counter" "$(cat "$OUT/one_cpu")" 'no hardware counters are available'
	like "$1: the log has this CPU" "$(cat "$OUT/said")" 'CPU 1: no counter of instructions: error -16'
	like "$1: nothing is recorded if one CPU has no counter" "$(cat "$OUT/test.one_cpu")" 'not recording$'
	if [ "$1" = patched ]; then
		trace_ok "$1: by the call alone" "$OUT/call.trace"
		ok "$1: by the call alone: the filters read it" trace_text "$OUT/call.trace"
		is "$1: by the call alone" "$(steps "$OUT/call.trace.events") $(blocks "$OUT/call.trace")" \
			"10 128"
	fi
	if [ -f "$OUT/hotplug" ]; then
		between "$1: CPU 1 has counters again" "$(event_awk '!/^#/ && $3 >= EV_FIRST && $4 == 1 && $9 % 16 == 10 { n++ }
			END { print n + 0 }' "$OUT/hotplug.trace.events")" 10 1000000
	else
		skip "$1: a CPU goes offline and comes back" "this kernel has no CPU hotplug"
	fi
}

run_on()	# LABEL PMU
{
	OUT=$top/$1
	mkdir -p "$OUT"
	case $1 in
	stock*) pmu=$(cat "$TAP_TMP/pmu") ;;
	*) pmu=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test_pmu.ko) ;;
	esac
	if [ ! -f "$pmu" ]; then
		fail "$1: the module of the test's counters is built" "no kutrace_test_pmu.ko in $KERNEL_DIR"
		return
	fi
	guest_run "$TAP_TMP/script" --cpus 2 --mem 1024 --timeout 300 \
		--file "$pmu:/lib/kutrace_test_pmu.ko" --file "$GUEST_BIN/ipcread" \
		--file "$GUEST_BIN/marker" \
		-- "$1" "$(for pair in $edges; do echo "${pair%=*}"; done | xargs)" || return
	ipc_checks "$1"
}

on_both_kernels - -
tap_end
