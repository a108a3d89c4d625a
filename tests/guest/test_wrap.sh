#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# In wrap mode with a buffer of 1 MiB, the trace has the last part of the run, and the names of
# processes that ended long before it.
. tests/guest/lib.sh
guest_begin wrap

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=1
must mkdir /tmp/w
must cd /tmp/w
cp /bin/busybox /tmp/w/early_bird	# this name occurs only at the beginning
{
	echo gowrap
	until kutrace_control test | grep -q ', recording$'; do usleep 20000; done
	/tmp/w/early_bird sleep 0.2 >/dev/null 2>&1 || /tmp/w/early_bird usleep 200000
	workload --repeat 23 >/out/witness
	echo stop
	echo quit
} | kutrace_control >/out/control.out 2>&1 || die "kutrace_control failed"
ls >/out/files
must mv kutrace_*.trace /out/w.trace
must rmmod kutrace
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2; then
	like "the trace has a name as in the guide" "$(cat "$OUT/files")" \
		'^kutrace_[0-9]{8}_[0-9]{6}_guest_[0-9]+\.trace$'
	trace_ok "wrapped trace" "$OUT/w.trace"
	if ok "the filters read it" trace_text "$OUT/w.trace" && [ -s "$OUT/w.trace.json" ]; then
		ev=$OUT/w.trace.events
		flags=$(sed -n 's/^# ## FLAGS: *\([0-9]*\).*/\1/p' "$ev" | head -n 1)
		is "the trace has the flag of wrapping" $((${flags:-0} & 64)) 64
		between "size of the trace, at most the buffer's" \
			"$(stat -c %s "$OUT/w.trace")" 65536 $((1048576 + 262144))
		is "the last round is in the trace" "$(count_mark_d "$ev" 23)" 1
		is "the first round is not in the trace" "$(count_mark_d "$ev" 1)" 0
		like "names survive: a process of the overwritten part" \
			"$(event_awk '!/^#/ && $3 < EV_PACKET && $3 % 16 == EV_PID { print $5 }' "$ev")" \
			'^early_bird'
		like "names survive: system calls" \
			"$(event_awk '!/^#/ && $3 < EV_FIRST { print $5 }' "$ev")" '^getpid$'
	fi
fi
tap_end
