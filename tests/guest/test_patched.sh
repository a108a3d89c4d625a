#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# alone
#
# The patched kernel: records the workload with 2 CPUs and holds it against the
# same witnesses as on the stock kernel; has every kind of event made on purpose,
# a known number of times; loads, records and unloads under load. Set
# KUTRACE_PATCHED_CONFIG=debug for the kernel that checks itself.
. tests/guest/lib.sh
tap_begin
OUT=$BUILD/tests/guest/patched
rm -rf "$OUT"
mkdir -p "$OUT"
. tests/guest/record_checks.sh
top=$OUT

if [ -n "$KUTRACE_PATCHED_DIR" ]; then
	KERNEL_DIR=$KUTRACE_PATCHED_DIR
	KO=$(find "$KERNEL_DIR/lib/modules" -name kutrace.ko)
elif found=$(kernel-patches/build.sh --config "${KUTRACE_PATCHED_CONFIG:-stripped}"); then
	eval "$found"
else
	fail "the patched kernel is built" "see above"
	tap_end
fi

# --- the workload ---
cat >"$TAP_TMP/record" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control status >/out/status.before
kutrace_control run -o /out/r.trace -- sh -c \
	'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
kutrace_control status >/out/status.after
rmmod kutrace
uname -r >/out/uname
SCRIPT
OUT=$top/record
mkdir -p "$OUT"
if guest_run "$TAP_TMP/record" --cpus 2 --disk 16 --timeout 300; then
	record_checks "patched" 2
	like "patched: the back end is the kernel's own" "$(cat "$OUT/status.after")" "patched"
fi

# --- every hook ---
cat >"$TAP_TMP/fire" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/f.trace -- sh -c 'hookfire >/out/fired'
rmmod kutrace
SCRIPT
OUT=$top/fire
mkdir -p "$OUT"
# Calls, in event text, between mark_d $1 and mark_d $2, of the event numbers $3..$4.
fired_between()
{
	awk -v from="$1" -v to="$2" -v low="$3" -v high="$4" -v arg0="${5--}" '
	/^#/ || $3 < 512 { next }
	$3 == 525 && $7 == from { on = 1; next }
	$3 == 525 && $7 == to { done = on; on = 0 }
	on && $3 >= low && $3 <= high && (arg0 == "-" || $7 == arg0) { n++ }
	END { print done ? n + 0 : "no-marks" }' "$OUT/f.trace.events"
}
said()
{
	awk -v phase="$1" -v what="$2" '$1 == phase && $2 == what { print $3; exit }' "$OUT/fired"
}
if guest_run "$TAP_TMP/fire" --cpus 2 --timeout 300 --file "$BUILD/guest/bin/hookfire"; then
	trace_ok "every hook" "$OUT/f.trace"
	if trace_text "$OUT/f.trace"; then
		pass "every hook: the filters read the trace"
	else
		fail "every hook: the filters read the trace" "$(tail -n 3 "$OUT"/f.trace.*to*)"
	fi
	is_count "32-bit calls" "$(fired_between 1000 1001 $((3072 + 64)) $((3072 + 64)))" \
		"$(said calls32 getppid)"
	is_count "x32 calls" "$(fired_between 2000 2001 $((2048 + 110)) $((2048 + 110)))" \
		"$(said callsx32 getppid)"
	is_count "calls with a number that is none" \
		"$(fired_between 3000 3001 3582 3582 3000)" "$(said badcalls nr3000)"
	is "control call: version" "$(said control version)" 4
	is "control call: test" "$(said control test)" 1
	is "control call: an unknown command is refused" "$(said control refused)" 1
	for trap in divide=0 debug=1 breakpoint=3 opcode=6 protection=13 x87=16; do
		number=$((1024 + ${trap#*=}))
		is_count "traps: ${trap%=*}" "$(fired_between 4000 4001 $number $number)" \
			"$(said traps "${trap%=*}")"
	done
	is_count "page faults" "$(fired_between 9000 9001 1038 1038)" "$(said faults pages)"
	first=65536
	for kind in udp4 udp6 tcp4 tcp6; do
		for way in 532=received 533=sent; do
			is_count "packets: $kind ${way#*=}" "$(awk -v event=${way%=*} -v first=$first '
				!/^#/ && $3 == event && $7 >= first && $7 < first + 100 { n++ }
				END { print n + 0 }' "$OUT/f.trace.events")" "$(said packets $kind)"
		done
		first=$((first + 65536))
	done
	# One for the mutex; joining the thread may be another.
	waits=$(said locks waits)
	for step in 528=begin 529=end; do
		between "waits for a lock: ${step#*=}" \
			"$(fired_between 6000 6001 ${step%=*} ${step%=*})" "$waits" 10000
	done
	names=$(awk '!/^#/ && $3 < 256 && $3 % 16 == 2 { print $5 }' "$OUT/f.trace.events" | sort -u)
	for name in hf_renamed hf_thread hookfire; do
		like "names: $name" "$names" "^$name"
	done
	for kind in "512 512 context switches" "3583 3583 scheduler" "518 518 wakeups" \
		"519 519 IPIs sent" "520 520 idle states" "640 641 PC samples" \
		"1535 1535 softirqs" "1516 1516 timer interrupts"; do
		set -- $kind
		low=$1 high=$2
		shift 2
		between "$*" "$(awk -v low=$low -v high=$high '!/^#/ && $3 >= low && $3 <= high { n++ }
			END { print n + 0 }' "$OUT/f.trace.events")" 1 10000000
	done
fi

# --- load, record, unload, under load ---
cat >"$TAP_TMP/churn" <<'SCRIPT'
#!/bin/sh
set -e
# Calls, forks, pipes, faults; nothing that has the device open.
(while :; do ls -lR /bin /proc/1 | wc -c >/dev/null; done) 2>/dev/null &
load=$!
for round in 1 2 3; do
	insmod /lib/kutrace.ko
	for go in 1 2 3; do
		kutrace_control go >/dev/null
		usleep 100000
		kutrace_control stop /tmp/t.trace >/dev/null
	done
	kutrace_control go >/dev/null
	usleep 50000
	rmmod kutrace
done
insmod /lib/kutrace.ko backend=tracepoints
kutrace_control status >/out/status.tracepoints
rmmod kutrace
if insmod /lib/kutrace.ko backend=nonsense 2>/dev/null; then
	exit 30
fi
kill -0 $load
kill $load
SCRIPT
OUT=$top/churn
mkdir -p "$OUT"
if guest_run "$TAP_TMP/churn" --cpus 2 --timeout 300; then
	like "backend=tracepoints is obeyed" "$(cat "$OUT/status.tracepoints")" \
		"tracepoints of a stock kernel"
fi
tap_end
