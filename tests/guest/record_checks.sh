# SPDX-License-Identifier: BSD-3-Clause
#
# record_checks LABEL CPUS: compares a recorded workload in $OUT (r.trace, witness, counters) with
# its witnesses. Source lib.sh first.

# Checks that phase $2 has as many calls of kind $3 (system call $4) by pid $5 as the witness
# reports.
same_calls()
{
	is_count "$1: $2: $3 calls are as many as the workload made" \
		"$(count_between "$ev" "a=$2" "a=/$2" "$5" "$(syscall_event "$4")")" \
		"$(witness "$OUT/witness" "$2" "$3")"
}

# Checks that counter $2 grew at least by the number of events between the readings (event $3, ARG0
# $4), and at most by the number of events during and between them. $5 events may be missing or too
# many: during a reading, another CPU may have changed only one of the counter and the trace.
within_edges()
{
	_grew=$(awk -v what="$2" '$2 == what { n[$1] = $3; seen++ }
		END { if (seen == 2) print n["last"] - n["first"]; else print "no-counter" }' \
		"$OUT/counters")
	_low=$(count_between "$ev" b=/first b=last - "$3" "$4")
	_high=$(count_between "$ev" b=first b=/last - "$3" "$4")
	case $_low$_high in
	*[!0-9]*)
		fail "$1: /proc: $2" "marks are missing: $_low, $_high"
		return
		;;
	esac
	between "$1: /proc: $2 grew by what the trace shows ($_grew in $_low..$_high)" \
		"$_grew" $((_low - $5)) $((_high + $5))
}

record_checks()
{
	trace_ok "$1" "$OUT/r.trace"
	if ! trace_text "$OUT/r.trace"; then
		fail "$1: the filters read the trace" "$(tail -n 3 "$OUT"/r.trace.*to*)"
		return
	fi
	pass "$1: the filters read the trace"
	ev=$OUT/r.trace.events
	main=$(witness "$OUT/witness" main main)
	is "$1: CPUs that have events" "$(event_awk '!/^#/ && $3 >= EV_FIRST { cpu[$4] }
		END { for (c in cpu) n++; print n + 0 }' "$ev")" "$2"

	# --- the workload's own counts ---
	same_calls "$1" burst getpid getpid "$main"
	same_calls "$1" file write write "$main"
	same_calls "$1" file read read "$main"
	same_calls "$1" disk pwrite64 pwrite64 "$main"
	same_calls "$1" disk pread64 pread64 "$main"
	same_calls "$1" pipe write write "$main"
	same_calls "$1" pipe read read "$main"
	same_calls "$1" tcp sendto sendto "$main"
	same_calls "$1" tcp recvfrom recvfrom "$main"
	same_calls "$1" spawn wait4 wait4 "$main"
	same_calls "$1" spawn execve execve -
	same_calls "$1" spawn fork clone "$main"
	same_calls "$1" nap nanosleep nanosleep "$main"
	_minflt=$(witness "$OUT/witness" fault minflt)
	_pages=$(witness "$OUT/witness" fault pages)
	_faults=$(count_between "$ev" a=fault a=/fault "$main" $EV_PAGE_FAULT)
	between "$1: fault: page faults, at least the touched pages ($_faults of $_pages, minflt $_minflt)" \
		"$_faults" "$_pages" $((_minflt + 16))
	between "$1: mutex: threads waited in futex" \
		"$(count_between "$ev" a=mutex a=/mutex - "$(syscall_event futex)")" 1 1000000
	between "$1: disk: interrupts of the disk, by name" \
		"$(event_awk '!/^#/ && $3 >= EV_IRQ && $3 < EV_TRAP_RETURN && /virtio/ { n++ } END { print n + 0 }' "$ev")" \
		1 100000

	# --- the kernel's counters ---
	within_edges "$1" ctxt $EV_USERPID - "$2"
	within_edges "$1" LOC $EV_LOCAL_TIMER - "$2"
	within_edges "$1" RES $EV_RESCHEDULE - "$2"
	for _soft in 1 3 7 9; do
		within_edges "$1" softirq.$_soft $EV_BH $_soft "$2"
	done

	# --- names ---
	_names=$(event_awk '!/^#/ && $3 < EV_PACKET && $3 % 16 == EV_PID { print $5 }' "$ev" | sort -u)
	for _name in workload locker pipe_child tcp_server mayfly counters kutrace_control; do
		like "$1: names: $_name" "$_names" "^$_name"
	done
	like "$1: names: the kernel's release" "$(grep -E '^-?[0-9]+ [0-9]+ (2[7-9][0-9]|3[0-9][0-9]) ' "$ev")" \
		"$(sed 's/[.+]/\\&/g' "$OUT/uname")"
	like "$1: the JSON is whole" "$(tail -n 1 "$OUT/r.trace.json")" '^\]\}$'
}
