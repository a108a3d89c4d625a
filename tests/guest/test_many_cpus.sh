#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 40
# ci
#
# 70 CPUs record, also with fewer blocks than CPUs. A 64-bit word has fewer bits than that, and 32
# MiB, the usual size, have fewer than eight blocks for each CPU. A task on each CPU makes a mark,
# in a recording of all CPUs, beside a flight recorder with fewer blocks than CPUs; then in a
# recording of only the last CPUs.
. tests/guest/lib.sh
guest_begin many_cpus
CPUS=70

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
each()		# makes mark_d(CPU number plus one) on each CPU
{
	cpu=0
	while [ $cpu -lt $cpus ]; do
		taskset -c $cpu marker cpu $((cpu + 1)) || return 1
		cpu=$((cpu + 1))
	done
}
cpus=$(nproc)
must insmod /lib/kutrace.ko
cat /sys/module/kutrace/parameters/mb >/out/mb
must kutrace_control --session few start --size 1 --wrap
must kutrace_control start --wrap
must each
kutrace_control status --json >/out/all.json
must kutrace_control stop /out/all.trace
kutrace_control --session few status --json >/out/few.json
must kutrace_control --session few stop /out/few.trace
kutrace_control session destroy few
must kutrace_control filter --cpus 3,64-69
must kutrace_control start
must each
must kutrace_control stop /out/some.trace
must rmmod kutrace
SCRIPT

# Prints "CPU NUMBER" of each mark_d
marks()		# TRACE
{
	event_awk '!/^#/ && $3 == EV_MARKD { print $4, $7 }' "$1.events"
}
expected()	# CPU...
{
	for cpu; do
		echo "$cpu $((cpu + 1))"
	done
}

guest_run "$TAP_TMP/script" --cpus $CPUS --mem 2048 --timeout 300 --file "$GUEST_BIN/marker" || tap_end
is "the usual buffer has half a MiB for each CPU" "$(cat "$OUT/mb")" $((CPUS / 2))
for one in all some; do
	trace_ok $one "$OUT/$one.trace"
	ok "$one: the filters read it" trace_text "$OUT/$one.trace"
done
# shellcheck disable=SC2046 # numbers
is "all: each CPU's mark is on that CPU" "$(marks "$OUT/all.trace" | sort -n)" "$(expected $(seq 0 $((CPUS - 1))))"
is "some: the marks of CPUs 3 and 64 to 69" "$(marks "$OUT/some.trace" | sort -n)" "$(expected 3 64 65 66 67 68 69)"
is "some: no other CPU has an event" "$(event_awk '!/^#/ && $3 >= EV_FIRST && $4 != 3 && $4 < 64 && !($3 == EV_USERPID && $2 == 1)' \
	"$OUT/some.trace.events" | head -n 5)" ""
# Some CPUs got none of the 16 blocks. Their losses are counted in the status and in the trace.
ok "few: the trace is sound" "$BUILD/bin/checktrace" "$OUT/few.trace"
lost()		# FILE
{
	sed -n 's/.*noblock[="]*:* *\([0-9]*\).*/\1/p' "$1"
}
"$BUILD/bin/checktrace" "$OUT/few.trace" >"$OUT/few.checked" 2>&1
between "few: lost events in the status" "$(lost "$OUT/few.json")" 1000 100000000
between "few: lost events in the trace" "$(lost "$OUT/few.checked")" "$(lost "$OUT/few.json")" 100000000
tap_end
