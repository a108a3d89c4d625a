#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
# takes: 15
#
# Records the workload, and checks that the trace has as many calls of getpid() as the workload made.
#
# A template for guest tests. `make check` does not run it. Copy it to test_NAME.sh. Describe the
# tested property and its independent witness in the lines above, and delete all other comments.
#
#	make tools guest-payload	at first, and after each change of a program, a tool or the module
#	tests/guest/test_NAME.sh	runs the test; it builds nothing
#
# Add a line to tests/guest/README.md. docs/guide/contributing.md lists the lines that a head may have, such as
# "timeout", or "also" for a further run with other variables.
. tests/guest/lib.sh

# Sets $OUT, the folder build/tests/guest/NAME, and the variables of the kernel.
guest_begin TEMPLATE

# The guest runs this script as root, with busybox's shell. Files in /out come back to $OUT. Each step
# begins with must (must.sh), which ends the script if the step fails. To wait, loop until a condition
# holds; do not rely on sleep.
cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko
must kutrace_control run -o /out/r.trace -- sh -c 'workload >/out/witness'
must rmmod kutrace
SCRIPT

# Boots the guest with the module, kutrace_control, workload and counters. The head of boot.sh lists more options:
#
#	--file "$GUEST_BIN/pingpong"		brings a program of tests/guest/prog/
#	-- ARG...				arguments of the script, as $1 and so on
#
# guest_run passes if the script exits with 0 and the kernel log has no warning.
if guest_run "$TAP_TMP/script" --cpus 2; then
	# The trace is sound, and no event was lost.
	trace_ok "the recording" "$OUT/r.trace"

	# Writes $OUT/r.trace.events and $OUT/r.trace.json. In a line of the events, $3 is the event number
	# (the variables EV_NAME of lib.sh), $4 the CPU, $5 the pid, $7 the first argument, and $10 the name.
	# In a row of the JSON, split at ", *", $1 is the start, $3 the CPU, $4 the pid, $6 the event, and $7
	# the argument (eventtospan(1)).
	if ok "the filters read it" trace_text "$OUT/r.trace"; then
		events=$OUT/r.trace.events
		# The witness has lines "pid main main PID" and "count burst getpid NUMBER".
		pid=$(witness "$OUT/witness" main main)
		# The workload makes its calls between the marks "burst" and "/burst".
		is_count "as many calls of getpid as the workload made" \
			"$(count_between "$events" a=burst a=/burst "$pid" "$(syscall_event getpid)")" \
			"$(witness "$OUT/witness" burst getpid)"
	fi
fi
tap_end
