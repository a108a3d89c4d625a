#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
#
# Rarer kinds of events are recorded on the stock kernel: 32-bit system calls and traps other than
# page faults, as often as the program made them; PC samples, IPIs, wakeups, idle; a contended lock
# of the kernel. A process name with special characters of all formats does no harm.
. tests/guest/lib.sh
guest_begin kinds

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko
must kutrace_control run -o /out/k.trace -- sh -c \
	'kinds >/out/witness && lock_contention 7 /tmp/both >/out/lock_contention && workload --quiet'
must rmmod kutrace
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/kinds" \
	--file "$GUEST_BIN/lock_contention"; then
	trace_ok kinds "$OUT/k.trace"
	if ok "the filters read it" trace_text "$OUT/k.trace" && [ -s "$OUT/k.trace.json" ]; then
		ev=$OUT/k.trace.events
		main=$(witness "$OUT/witness" main main)
		is_count "32-bit getpid calls, all of them" \
			"$(count_between "$ev" a=int80 a=/int80 "$main" $((EV_SYSCALL32 + 20)))" \
			"$(witness "$OUT/witness" int80 getpid)"
		is "no 32-bit call is recorded as a 64-bit call" \
			"$(count_between "$ev" a=int80 a=/int80 "$main" $((EV_SYSCALL64 + 20)))" 0
		for trap in div:0 int3:3 ud2:6; do
			phase=${trap%:*}
			is_count "trap ${trap#*:} ($phase), all of them" \
				"$(count_between "$ev" "a=$phase" "a=/$phase" "$main" $((EV_TRAP + ${trap#*:})))" \
				"$(witness "$OUT/witness" "$phase" taken)"
		done
		# kinds that any trace of a busy machine has
		for kind in "PC sample in the kernel:$EV_PC_K" "PC sample in a program:$EV_PC_U" \
			"interrupt sent:$EV_IPI" "reschedule taken:$EV_RESCHEDULE" "wakeup:$EV_RUNNABLE" "idle:$EV_MWAIT" \
			"local timer:$EV_LOCAL_TIMER" "page fault:$EV_PAGE_FAULT"; do
			between "there is: ${kind%:*}" \
				"$(awk -v e="${kind#*:}" '!/^#/ && $3 == e { n++ } END { print n + 0 }' "$ev")" \
				1 10000000
		done
		waiter=$(awk '{ print $2 }' "$OUT/lock_contention")
		is "a task that waits for a kernel lock tries it and acquires it, 7 times" \
			"$(event_awk -v pid="$waiter" '!/^#/ && $5 == pid && $3 >= EV_LOCKNOACQ && $3 <= EV_LOCKWAKEUP {
				did = did " " $3; locks += !seen[$6]++ }
				END { print locks did }' "$ev")" \
			"1$(for _ in 1 2 3 4 5 6 7; do printf ' %s' $EV_LOCKNOACQ $EV_LOCKACQ; done)"
		number=$(event_awk -v pid="$waiter" '!/^#/ && $5 == pid && $3 == EV_LOCKNOACQ { print $7; exit }' "$ev")
		is "the lock's name is its kind, the function that needs it by the kernel's wchan, and its number" \
			"$(event_awk -v pid="$waiter" '!/^#/ && $5 == pid && $3 == EV_LOCKNOACQ { print $10 }' "$ev" | sort -u)" \
			"lock_try=rwsem:$(awk '{ print $4 }' "$OUT/lock_contention").$number"
		is "the task waits for the lock 7 times, in write" \
			"$(awk -F'[][, ]+' -v pid="$waiter" '$5 == pid && /"wait_pipe"/ { n++ } END { print n + 0 }' \
			"$OUT/k.trace.json")" 7
		# a process with the name: x </script>"y
		like "the hostile name is in the JSON, escaped" \
			"$(grep -c 'x.</script>\\"y' "$OUT/k.trace.json")" '^[1-9]'
		ok "a page can be made of the trace" sh -c \
			"$BUILD/bin/makeself $BUILD/templates/show_cpu.html <$OUT/k.trace.json >$OUT/k.html"
		# base64 data may end in an x and another letter
		is "no script element ends in the page's data" \
			"$(grep -c 'x[^A-Za-z0-9+/=]</script>' "$OUT/k.html")" 0
	fi
fi
tap_end
