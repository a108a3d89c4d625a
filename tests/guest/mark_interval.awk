# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the times of two marks in a trace with the readings of CLOCK_MONOTONIC_RAW before and after each (`clocks raw`).
#
#	awk -v limit=MICROSECONDS -f mark_interval.awk PAIRS EVENTS
#
# PAIRS has lines "NUMBER CPU BEFORE AFTER" (ns) and "made COUNT", EVENTS is rawtoevent's text.
# Prints the time between the marks in the trace, and the least and greatest time that the readings
# allow, in microseconds. The bounds have a tolerance of 0.2 % and the limit. A CPU of the guest may
# stop between a reading and its mark. So of the first 100 marks, the script
# uses the mark whose two readings are closest together, and the same of the last 100.
FNR == NR && $1 != "made" {
	pairs++
	number[pairs] = $1
	before[pairs] = $3
	after[pairs] = $4
	next
}
FNR == NR { next }
!/^#/ && $3 == EV_MARKD { at[$7] = $1 }

function closest(from, to,	i, best)
{
	for (i = best = from; i <= to; i++)
		if (after[i] - before[i] < after[best] - before[best])
			best = i
	return best
}

END {
	many = pairs < 200 ? int(pairs / 2) : 100
	a = closest(1, many)
	b = closest(pairs - many + 1, pairs)
	least = (before[b] - after[a]) / 1000
	most = (after[b] - before[a]) / 1000
	apart = number[a] in at && number[b] in at ? (at[number[b]] - at[number[a]]) / 100 : -1
	printf "%d %d %d\n", apart, least - least / 500 - limit, most + most / 500 + limit
}
