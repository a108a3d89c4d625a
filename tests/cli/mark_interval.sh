#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests the limits of test_clock.sh. It must accept the times of a trace if a CPU stood still for 19 ms
# before a mark. It must report distances of marks that are 0.4 % too short or too long.
. tests/guest/lib.sh
tap_begin

# recording FACTOR: makes 6000 marks, 1 ms apart. In the trace, these distances are multiplied by FACTOR. The first mark
# comes 19.43 ms after the reading before it, as on a busy host.
recording()
{
	event_awk -v factor="$1" -v pairs="$TAP_TMP/pairs" -v events="$TAP_TMP/events" 'BEGIN {
		for (i = 0; i < 6000; i++) {
			made = 1000000000 + i * 1000000
			print i + 1, i % 2, made - (i ? 400 : 19430000), made + 400 >pairs
			printf "%d 1 %d %d 50 0 %d 0 0 mark_d\n", 5000000 + i * 100000 * factor, EV_MARKD, i % 2, i + 1 >events
		}
		print "made", i >pairs
	}'
	event_awk -v limit=1000 -f tests/guest/mark_interval.awk "$TAP_TMP/pairs" "$TAP_TMP/events"
}

# shellcheck disable=SC2046 # three numbers
between "a CPU stood still before the first mark: the trace is right" $(recording 1)
for factor in 0.996 1.004; do
	recording $factor >"$TAP_TMP/said"
	read -r apart least most <"$TAP_TMP/said"
	ok "times at $factor of theirs are found" sh -c "[ $apart -lt $least ] || [ $apart -gt $most ]"
done
: >"$TAP_TMP/none"
is "marks that the trace does not have" "$(event_awk -v limit=1000 -f tests/guest/mark_interval.awk "$TAP_TMP/pairs" "$TAP_TMP/none" | cut -d ' ' -f 1)" -1
tap_end
