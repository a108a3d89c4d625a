# SPDX-License-Identifier: BSD-3-Clause
#
# Functions that the guest tests share. Source it from the top of the checkout.
#
#	guest_begin NAME	calls tap_begin, sets the payload's variables and $OUT. $GUEST_BIN is the
#				folder of the guest's programs, in $GUEST_BUILD: $BUILD, or the build
#				folder of another architecture.
#				With $KERNEL, a name of kernel.sh, the test runs on that kernel
#				(named_kernel), and $OUT contains the name
#	patched_kernel		sets KERNEL_DIR, KO, TEST_KO of the patched kernel, which it builds or finds
#				in $KUTRACE_PATCHED_DIR. Returns 1 if it cannot
#	named_kernel NAME LOG	sets the payload's variables for a kernel of kernel.sh, or "stock". Skips
#				the test if the kernel is not available, fails if it cannot be built
#	on_both_kernels STOCK PATCHED [STOCK PATCHED ...]
#				calls run_on "stock" STOCK, then, on the patched kernel, run_on
#				"patched" PATCHED; the arguments are split into words. Only
#				$KUTRACE_FULL runs the pairs after the first: they take minutes.
#				With $KUTRACE_FAST, or if a configuration of the patched kernel is
#				requested, it runs only the first PATCHED. With $KERNEL, it runs
#				only the first STOCK, on that kernel
#	effort SAMPLE USUAL FULL	prints SAMPLE with $KUTRACE_FAST, FULL with $KUTRACE_FULL, otherwise
#				USUAL
#	guest_run SCRIPT [boot.sh option...]	boots with module, tools and workload. Reports as
#				one test that the script succeeded and the kernel log is clean.
#				Returns 1 if not
#	trace_ok NAME TRACE	checks that checktrace finds no error and no loss
#	trace_text TRACE	makes TRACE.events (sorted) and TRACE.json
#	inferred EVENTS		prints a line "COUNT WHAT" for each sort of inferred event
#	count_between EVENTS FROM TO PID EVENT [ARG0]
#				prints how many events EVENT of PID (- = any) lie between the first
#				mark FROM and the first mark TO
#	syscall_number NAME	prints the call's number on the architecture of the guest's programs
#	count_mark_d EVENTS N	prints how often mark_d(N) was made
#	witness FILE PHASE WHAT	prints a number of the workload's own report
#	number FILE WHAT	prints the second word of the line that begins with WHAT
#	below NAME NUMBER LIMIT	checks that NUMBER is at most LIMIT; both may have decimals
#	is_count NAME GOT EXPECTED	as is, but EXPECTED must be a number above 0
#
# kutrace_events.def has the event numbers. The variable $EV_NAME is the number of NAME of that table, and
# $EV_NAME_RETURN the number of its return: $EV_MARKD, $EV_PAGE_FAULT_RETURN. A numbered call is
# $((EV_TRAP + 3)). Names have numbers below $EV_FIRST.
#
#	event_awk ARG...	awk whose programs have the variables EV_NAME
#	syscall_event NAME	prints the event number of a 64-bit system call
. tests/tap.sh

BUILD=${BUILD:-build}
GUEST_BIN=$BUILD/guest/bin

[ -f "$BUILD/gen/events" ] || make --no-print-directory -s BUILD="$BUILD" "$BUILD/gen/events" >&2 || exit 1
# exported for the Perl scripts
set -a
. "$BUILD/gen/events"
set +a
EVENT_VARIABLES=$(sed "s/^/-v /" "$BUILD/gen/events")

guest_begin()
{
	tap_begin
	OUT=$BUILD/tests/guest/$1${KERNEL:+-$KERNEL}
	rm -rf "$OUT"
	mkdir -p "$OUT"
	case ${KERNEL:-stock} in
	stock | patched) ;;
	*) named_kernel "$KERNEL" "$OUT/kernel.log"; return ;;
	esac
	if [ ! -f "$BUILD/guest/env" ]; then
		fail "guest payload is built" "no $BUILD/guest/env: make guest-payload"
		tap_end
	fi
	. "$BUILD/guest/env"
}

patched_kernel()
{
	if [ -n "$KUTRACE_PATCHED_DIR" ]; then
		KERNEL_DIR=$KUTRACE_PATCHED_DIR
		KO=$(find "$KERNEL_DIR/lib/modules" -name kutrace.ko)
	elif _found=$(kernel-patches/build.sh --kver "${KUTRACE_PATCHED_KVER:-6.1}" \
	    --config "${KUTRACE_PATCHED_CONFIG:-stripped}"); then
		eval "$_found"
	else
		return 1
	fi
	GUEST_BUILD=$BUILD GUEST_BIN=$BUILD/guest/bin
	TEST_KO=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test.ko)
}

named_kernel()
{
	if [ "$1" = stock ]; then
		. "$BUILD/guest/env"
		return
	fi
	_status=0
	tests/guest/payload.sh "$1" >"$2" 2>&1 || _status=$?
	if [ $_status = 77 ]; then
		skip "$1" "$(tail -n 1 "$2")"
		tap_end
	fi
	[ $_status = 0 ] || { fail "$1 is there" "$(tail -n 5 "$2")"; tap_end; }
	. "$BUILD/guest/env-$1"
}

effort()
{
	if [ -n "$KUTRACE_FULL" ]; then
		echo "$3"
	elif [ -n "$KUTRACE_FAST" ]; then
		echo "$1"
	else
		echo "$2"
	fi
}

on_both_kernels()
{
	if [ -n "$KERNEL" ]; then
		run_on "$KERNEL" $1
		return
	fi
	while [ $# -gt 0 ]; do
		if [ -z "$KUTRACE_PATCHED_CONFIG$KUTRACE_FAST" ]; then
			. "$BUILD/guest/env"
			TEST_KO=
			run_on "stock" $1
		fi
		if patched_kernel; then
			run_on "patched" $2
		else
			fail "the patched kernel is built" "see above"
		fi
		[ -z "$KUTRACE_PATCHED_CONFIG" ] && [ -n "$KUTRACE_FULL" ] || return 0
		shift 2
	done
}

guest_run()
{
	_guest_script=$1
	shift
	_guest_status=0
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$_guest_script" --out "$OUT" \
		${KO:+--file} ${KO:+"$KO:/lib/kutrace.ko"} \
		--file "${GUEST_BUILD:-$BUILD}/bin/static/kutrace_control" \
		--file "$GUEST_BIN/workload" \
		--file "$GUEST_BIN/counters" \
		"$@" >"$OUT/boot.log" 2>&1 || _guest_status=$?
	if [ "$_guest_status" = 0 ]; then
		pass "the guest's script succeeded, the kernel log is clean"
		return 0
	fi
	fail "the guest's script succeeded, the kernel log is clean" \
		"boot.sh: status $_guest_status"
	# Print the steps that can end the script with this status, if the script does not use
	# must().
	grep -n "exit $_guest_status\$" "$_guest_script" | sed 's/^/# script: /' >&2
	# Print the end of boot.sh's output last, because a summary shows only the end.
	[ ! -f "$OUT/console.log" ] || sed -n '/^guest: script starts/,$p' "$OUT/console.log" | tail -n 20 | sed 's/^/# | /' >&2
	sed 's/^/# /' "$OUT/boot.log" >&2
	return 1
}

trace_ok()
{
	ok "$1: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$2"
	like "$1: nothing lost" "$("$BUILD/bin/checktrace" "$2" 2>&1)" '^lost: 0 events'
}

# inferred EVENTS: prints what the filters inferred, and how often. The beginning of a call that ran when recording began
# on its CPU is missing: its return, before the first context switch of this CPU, is not counted.
inferred()
{
	"$BUILD/bin/eventtospan" -t x <"$1" 2>&1 >/dev/null | grep '^[0-9.]* CPU [0-9]* pid [0-9]*: ' >"$TAP_TMP/inferred"
	event_awk 'FNR == NR { if ($3 == EV_USERPID && !$2 && !($4 in first)) first[$4] = $1 / 1e8; next }
		{ at = $1; cpu = $3; sub(/^[0-9.]* CPU [0-9]* pid [0-9]*: /, "") }
		/^return ignored/ || (/^call not recorded/ && cpu in first && at <= first[cpu]) { next }
		{ print }' "$1" "$TAP_TMP/inferred" | sort | uniq -c | sed 's/^ *//'
}

trace_text()
{
	"$BUILD/bin/rawtoevent" "$1" 2>"$1.rawtoevent" >"$1.raw" || return 1
	LC_ALL=C sort -n "$1.raw" >"$1.events" && rm "$1.raw" || return 1
	"$BUILD/bin/eventtospan" test <"$1.events" 2>"$1.eventtospan" >"$1.raw" || return 1
	LC_ALL=C sort "$1.raw" >"$1.json" && rm "$1.raw"
}

count_between()
{
	event_awk -v from="mark_$2" -v to="mark_$3" -v pid="$4" -v event="$5" -v arg0="${6--}" '
	/^#/ || $3 < EV_FIRST { next }
	$10 == from && !inside && !done { inside = 1; next }
	$10 == to && inside { inside = 0; done = 1 }
	inside && $3 == event && (pid == "-" || $5 == pid) && (arg0 == "-" || $7 == arg0) { n++ }
	END { print done ? n + 0 : "no-marks" }' "$1"
}

number()
{
	awk -v what="$2" '$1 == what { print $2; exit }' "$1"
}

below()
{
	ok "$1 ($2, at most $3)" awk -v n="$2" -v limit="$3" 'BEGIN { exit !(n != "" && n + 0 <= limit + 0) }'
}

event_awk()
{
	awk $EVENT_VARIABLES "$@"
}

syscall_event()
{
	_number=$(syscall_number "$1")
	echo $((EV_SYSCALL64 + _number))
}

# Reads the table from which the library has the names of system calls.
syscall_number()
{
	sed -n "s/^.{\([0-9]*\), \"$1\"},\$/\1/p" "${GUEST_BUILD:-$BUILD}/gen/kutrace_syscalls64.inc" |
		grep . || echo "no-such-call"
}

count_mark_d()
{
	event_awk -v number="$2" '!/^#/ && $3 == EV_MARKD && $7 == number { n++ }
		END { print n + 0 }' "$1"
}

witness()
{
	awk -v phase="$2" -v what="$3" '$2 == phase && $3 == what { print $4; exit }' "$1"
}

is_count()
{
	case $3 in
	'' | 0 | *[!0-9]*) fail "$1" "the expected count is '$3'" ;;
	*) is "$1" "$2" "$3" ;;
	esac
}
