#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 50
# ci
# also: debug_names KUTRACE_PATCHED_CONFIG=debug timeout: 2700 takes: 140 needs: debug full
#
# A flight recorder keeps the name of each pid, while short-lived processes fill its name table
# three times, or six times with KUTRACE_FULL. The blocks have 1 MiB and the name table 256 KiB, and
# one CPU is idle. Snapshots and the dump have lost no name, and every pid has the name that the
# test program has written to a file. Then many threads rename themselves all the time. On the debug
# kernel, KASAN checks every access to the name table.
. tests/guest/lib.sh
guest_begin names${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
TURNS=$(effort 3 3 6)
limit=800
if [ -n "$KUTRACE_PATCHED_CONFIG" ]; then
	patched_kernel || { fail "the patched kernel is built" "see above"; tap_end; exit; }
	TURNS=3
	limit=2400
fi

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=1 names_kb=256
must kutrace_control start --wrap
sleep 600 &
must shortlived idle /out/idle
shortlived run 2 /out/said >/out/processes &
load=$!
used()
{
	dd if=/dev/kutrace/aux bs=64 count=1 2>/dev/null | od -An -td8 -j48 -N8 | tr -d ' '
}
i=1
while [ $i -le $1 ]; do
	while [ "$(used)" -lt $((i * 262144)) ]; do sleep 1; done
	must kutrace_control snapshot -o /out/s$i.trace
	i=$((i + 1))
done
kill $load
wait $load
must kutrace_control status --json >/out/status.json
must kutrace_control stop /out/dump.trace

# Start a process while names are not recorded.
cp /bin/shortlived /tmp/late_riser
must kutrace_control start
must kutrace_control mask -task_name
/tmp/late_riser rename 0 600 &
late=$!
until grep -q '(late_riser) S' /proc/$late/stat; do usleep 20000; done
must kutrace_control snapshot -o /out/unnamed.trace
must kutrace_control mask +task_name
must kutrace_control stop /out/named.trace
kill $late

# Record names as fast as possible, in a session that wraps and in a session that is full
# immediately.
must kutrace_control --session other start --size 1
must kutrace_control start --wrap
must shortlived rename 16 10
must kutrace_control snapshot -o /out/renamed.trace
must dd if=/dev/kutrace/aux of=/out/aux bs=4096 2>/dev/null
must kutrace_control stop /out/hammer.trace
must kutrace_control session destroy other
must rmmod kutrace
SCRIPT

# Prints the pids that run or are woken and have no name, or another name than their processes had.
nameless()	# TRACE
{
	"$BUILD/bin/rawtoevent" "$1" 2>/dev/null | LC_ALL=C sort -n >"$TAP_TMP/events"
	cat "$OUT/idle" "$OUT/said" | event_awk -v events="$TAP_TMP/events" '
	{ said[$1] = said[$1] " " $2 " " }
	END {
		while ((getline line <events) > 0) {
			if (line ~ /^#/)
				continue
			split(line, f, " ")
			if (f[3] < EV_PACKET && f[3] % 16 == EV_PID)
				names[f[4]] = names[f[4]] " " f[5] " "
			else if (f[3] == EV_USERPID || f[3] == EV_RUNNABLE)
				seen[f[3] == EV_USERPID ? f[5] : f[7]] = 1
		}
		for (pid in seen) {
			n++
			if (!(pid in names))
				print pid, "has no name"
			else if (pid in said) {
				known++
				for (i = split(said[pid], each, " "); i > 0; i--)
					if (index(names[pid], " " each[i] " "))
						break
				if (i == 0)
					print pid, "is" names[pid] "not" said[pid]
			}
		}
		print n + 0, known + 0
	}'
}

if guest_run "$TAP_TMP/script" --cpus 4 --mem 3072 --timeout $limit \
		--file "$GUEST_BIN/shortlived" -- "$TURNS"; then
	like "the blocks have wrapped" "$(cat "$OUT/status.json")" '"wrapped": true'
	diag "$(cat "$OUT/processes") processes"
	# two names of 40 bytes each
	between "names, in multiples of the table's size" \
		$(($(cat "$OUT/processes") * 80 / 262144)) $((TURNS / 3)) 100000
	like "status: no name is lost" "$(cat "$OUT/status.json")" '"names": 0,'
	for t in $(seq -f s%g "$TURNS") dump; do
		ok "$t: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$t.trace"
		like "$t: no name is lost" "$("$BUILD/bin/rawtoevent" "$OUT/$t.trace" 2>/dev/null |
			grep -a -o 'lost_names=[0-9]*')" '^lost_names=0$'
		nameless "$OUT/$t.trace" >"$TAP_TMP/nameless"
		is "$t: every pid has its name" "$(sed '$d' "$TAP_TMP/nameless" | head -n 5)" ""
		diag "$t: $(tail -n 1 "$TAP_TMP/nameless" | sed 's/ / pids, short-lived of them: /')"
		between "$t: short-lived processes in the trace" "$(tail -n 1 "$TAP_TMP/nameless" | cut -d ' ' -f 2)" \
			20 1000000
	done
	for t in unnamed named; do
		"$BUILD/bin/rawtoevent" "$OUT/$t.trace" 2>/dev/null |
			event_awk '!/^#/ && $3 < EV_PACKET && $3 % 16 == EV_PID { print $5 }' | grep -c late_riser \
			>"$TAP_TMP/$t"
	done
	is "no process has a name while names are not recorded" "$(cat "$TAP_TMP/unnamed")" 0
	between "a process that started meanwhile has its name when names are recorded again" "$(cat "$TAP_TMP/named")" 1 2
	for t in renamed hammer; do
		ok "$t: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$t.trace"
	done
fi
tap_end
