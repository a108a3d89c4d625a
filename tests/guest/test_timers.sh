#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 40
# also: timers_6_12 KERNEL=stock-6.12
# also: timers_7_2 KERNEL=stock-7.2
#
# Records a program that sleeps by timers of all kinds, with known slack. Its own clock is the witness: for each
# sleep, the trace has one timer, which was due when the program had asked for, with that slack. The five parts
# of the lateness are its time until the thread ran. One CPU, an exact clock.
. tests/guest/lib.sh
guest_begin timers

{ echo '#!/bin/sh'; cat - <<'SCRIPT'; } >"$TAP_TMP/script"
must insmod /lib/kutrace.ko
must kutrace_control go
must sh -c 'timers 4711 >/out/said'
must kutrace_control stop /out/trace
must sh -c 'kutrace_control status --json >/out/status.json'
must kutrace_control start --mask -timer
must sh -c 'timers 4711 >/out/said.masked'
must kutrace_control stop /out/masked.trace
must kutrace_control start --mask all
must sh -c 'kutrace_control filter --pid $$ && exec timers 4711 >/out/said.only'
must kutrace_control stop /out/only.trace
must rmmod kutrace
SCRIPT

# One line for each sleep: NAME FROM TO SLACK RAN of the program, then DUE LATE and the parts of the trace, and the
# time at which the thread ran by the trace. In ns, from the first mark on. The rates of the two clocks differ, and the
# kernel corrects its own meanwhile, so each pair of marks gives the rate between them.
compare()
{
	event_awk -F'[][, "]+' '
		function ns(t,	j) {
			for (j = 1; j < marks - 1 && mark[4711 + j + 1] < t; j++)
				;
			j += 4711
			return said[j] + (t - mark[j]) * (said[j + 1] - said[j]) / (mark[j + 1] - mark[j]) - said[4712]
		}
		FILENAME ~ /said$/ { split($0, w, " ")
			if (w[1] == "mark") { marks++; said[w[2]] = (w[3] + w[4]) / 2 }
			if (w[1] == "sleep") { n++; name[n] = w[2]; pid[n] = w[3]; from[n] = w[4]; to[n] = w[5]; slack[n] = w[6]; ran[n] = w[7] }
			next }
		$7 == EV_MARKD { mark[$8] = $2 }
		$7 == EV_TIMER_LATE && $5 { k = ++timers[$5]; woken[$5, k] = $2 + $3
			for (i = 12; i < NF; i += 2) part[$5, k, $i] = $(i + 1)
			run[$5, k] = -1 }
		$7 == -3 && $9 in timers { for (k = timers[$9]; k && woken[$9, k] > $2 - 0.0000005; k--)
			if (woken[$9, k] < $2 + 0.0000005) run[$9, k] = $2 + $3 }
		END {
			base = said[4712]
			for (i = 1; i <= n; i++) {
				p = pid[i]; k = ++used[p]
				if (k > timers[p]) { print name[i], "none"; continue }
				sum = part[p, k, "slack"] + part[p, k, "interrupt"] + part[p, k, "before"] + part[p, k, "wakeup"]
				printf "%s %d %d %d %d %d %d %d %d %d %d %d\n", name[i], from[i] - base, to[i] - base, slack[i], ran[i] - base,
					ns(woken[p, k]) - sum, sum, part[p, k, "slack"], part[p, k, "interrupt"], part[p, k, "before"], part[p, k, "wakeup"],
					ns(run[p, k])
			}
			for (p in used) if (timers[p] != used[p]) print "more", p, timers[p], used[p]
		}' "$OUT/said" "$OUT/trace.json"
}

# CONDITION (awk) NAME: the number of lines of this name without the condition, and the first of them
wrong()
{
	awk -v name="$2" '(name == "" || $1 == name) && !('"$1"') { if (!n++) first = $0 } END { print n + 0, first }' "$OUT/compared"
}

if guest_run "$TAP_TMP/script" --icount --file "$GUEST_BIN/timers"; then
	trace_ok timers "$OUT/trace"
	trace_text "$OUT/trace"
	compare >"$OUT/compared"
	is "each sleep has one timer, and no more" "$(wc -l <"$OUT/compared") $(grep -c 'none\|more' "$OUT/compared")" "249 0"
	exact=1000
	for name in until lazy rt real nanosleep poll select epoll futex timerfd posix same busy; do
		is "$name: due when the program had asked for" "$(wrong "\$6 > \$2 - $exact && \$6 < \$3 + $exact" $name)" "0 "
		is "$name: the slack is that of the program" "$(wrong "\$8 <= \$4" $name)" "0 "
		is "$name: the program ran when the trace has it" "$(wrong "\$12 <= \$5 + 1000 && \$12 > \$5 - 4000" $name)" "0 "
		is "$name: interrupt, callbacks and wakeup are within 100 us" "$(wrong '$9 + $10 + $11 < 100000' $name)" "0 "
	done
	for name in until nanosleep futex lazy; do
		between "$name: sleeps that were late by all of their slack" "$(awk -v name=$name '$1 == name && $8 == $4 { n++ } END { print n + 0 }' "$OUT/compared")" 12 20
	done
	is "rt, timerfd, posix: no slack" "$(awk '($1 == "rt" || $1 == "timerfd" || $1 == "posix") && $8' "$OUT/compared")" ""
	is "same: each callback begins after those before it" "$(awk '$1 == "same" { print $10 }' "$OUT/compared" | sort -n | uniq | wc -l)" 8
	between "busy: ns that the thread was runnable" "$(awk '$1 == "busy" { print $12 - $6 - $7 }' "$OUT/compared")" 2900000 3200000
	tick=$((1000000000 / 250))
	is "receive: due at a tick after the call, rounded up to ticks" "$(wrong "\$6 > \$2 - $tick && \$8 <= 2 * $tick && \$8 >= 0 && \$7 <= 2 * $tick + 300000" receive)" "0 "
	trace_text "$OUT/masked.trace"
	is "masked: no timer" "$(event_awk '$3 == EV_TIMER' "$OUT/masked.trace.events" | wc -l)" 0
	is "masked: wakeups" "$(event_awk '$3 == EV_RUNNABLE' "$OUT/masked.trace.events" | head -n 100 | wc -l)" 100
	trace_text "$OUT/only.trace"
	is "with a filter: each sleep has its timer, whichever task the interrupt finds" \
		"$(event_awk 'FNR == NR { if ($1 == "sleep") sleeps[$3]++; next } $3 == EV_TIMER && $7 in sleeps { n[$7]++ }
			END { for (p in sleeps) if (n[p] != sleeps[p]) print p, n[p], sleeps[p] }' "$OUT/said.only" "$OUT/only.trace.events")" ""
	pid=$(awk '$2 == "lazy" { print $3; exit }' "$OUT/said")
	"$BUILD/bin/spantowhy" --pid "$pid" "$OUT/trace.json" >"$OUT/why"
	is "spantowhy: gaps with their timer" "$(grep -c '; its timer was due at [0-9.]*, 1\.[0-9]* ms late: slack 1\.000 ms, until the interrupt [0-9.]* [nu]s, earlier callbacks [0-9.]* [nu]s, until the wakeup [0-9.]* [nu]s, waited [0-9.]* [nu]s for a CPU' "$OUT/why")" \
		"$(awk '$1 == "lazy" && $8 == $4' "$OUT/compared" | wc -l)"
	"$BUILD/bin/spantowhy" --json --pid "$pid" "$OUT/trace.json" >"$OUT/why.json"
	is "spantowhy --json" "$(grep -o '"timer": {"kind": "hrtimer", "due": [0-9.]*, "late": 0.00[0-9]*, "slack": 0.00[0-9]*, "interrupt": [0-9.]*, "before": [0-9.]*, "wakeup": [0-9.]*, "runnable": [0-9.]*}' "$OUT/why.json" | wc -l)" 20
fi
tap_end
