#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 5
# fast
#
# Runs a sample of `make stress-ring`. It records millions of events while interrupts come at the
# ring's steps, and each event must be in the ring or counted as lost. It also records millions of
# events while another thread reads.
. tests/tap.sh
tap_begin
BUILD=${BUILD:-build}
[ -n "$KUTRACE_BUILT" ] || make -s BUILD="$BUILD" "$BUILD/tests/stress_ring_interrupts" "$BUILD/tests/stress_ring_threads"
events=$([ -n "$KUTRACE_FAST" ] && echo 3000000 || echo 30000000)

# number OUTPUT WHAT: prints the number in the line WHAT of the program's output
number()
{
	awk -v what="$2" '$1 == what { print $2 }' "$TAP_TMP/$1"
}

ok "$events events with interrupts: none is torn, doubled or missing" sh -c \
	"'$BUILD/tests/stress_ring_interrupts' $events 7 >'$TAP_TMP/interrupts'"
between "interrupts: events" "$(number interrupts events)" $events $((events + 100000))
between "interrupts: number of interrupts" "$(number interrupts interrupts)" $((events / 50)) $events
between "interrupts: lost events were counted" "$(number interrupts lost)" 1 $((events / 20))
between "interrupts: the pool wrapped" "$(number interrupts blocks)" 200 100000000

ok "$events events during reading: the reader gets only written events" sh -c \
	"'$BUILD/tests/stress_ring_threads' $events >'$TAP_TMP/threads'"
between "threads: entries that the reader has checked" "$(number threads entries_checked)" 10000 1000000000000

"$BUILD/tests/stress_ring_interrupts" many >/dev/null 2>&1
is "an argument that is no number is a usage error" $? 2
tap_end
