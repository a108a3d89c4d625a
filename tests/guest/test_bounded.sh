#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 40
# ci
#
# What a user who may only mark, or who has a session, cannot make long for others, nor take from them. While
# a large session is reset, others get answers about theirs: counted by instructions, so the machine's load does not
# matter. Definitions that are made and let go push no name of a task out of root's recording. They cost as
# many marks of the user's rate as they have names.
. tests/guest/lib.sh
guest_begin bounded
# One flood is twice the buffer of names: 256 definitions of 8 names of 80 bytes each.
ROUNDS=13
TASKS=300

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
insmod /lib/kutrace.ko mb=16 marks_all=1 || exit 10
bounded reset 128 >/out/reset || exit 12

kutrace_control go || exit 11
bounded flood 2 >/out/rated || exit 12
kutrace_control stop /tmp/x.trace || exit 14

# Without a rate, so that nothing but the end of the definitions helps.
echo 0 >/sys/module/kutrace/parameters/marks_rate
i=0
while [ $i -lt $2 ]; do
	sleep 1000 &
	i=$((i + 1))
done
kutrace_control go || exit 11
bounded flood $1 >/out/flood || exit 12
kutrace_control status --json >/out/status.json
kutrace_control stop /out/flood.trace || exit 14
rmmod kutrace || exit 15
kill -9 $(jobs -p)
exit 0
SCRIPT

if guest_run "$TAP_TMP/script" --icount --mem 1024 --timeout 250 --file "$BUILD/guest/bin/bounded" -- \
	$ROUNDS $TASKS; then
	read -r took waited <"$OUT/reset"
	ok "nobody waits for the reset of another session of 128 MiB ($waited of $took ns)" \
		[ "$waited" -lt $((took / 4)) ]

	read -r defined refused ms <"$OUT/rated"
	is "definitions at the user's rate: none refused" "$defined $refused" "512 0"
	# 8 names each at 10,000 a second, a tenth of a second's worth of them immediately.
	between "milliseconds that 512 definitions of 8 names take" "$ms" 300 2000
	read -r defined refused ms <"$OUT/flood"
	is "definitions without a rate: none refused" "$defined $refused" "$((256 * ROUNDS)) 0"
	ok "checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/flood.trace"
	is "no name is lost" "$(sed -n 's/^"lost".*"names": \([0-9]*\).*/\1/p' "$OUT/status.json")" 0
	ok "event text" trace_text "$OUT/flood.trace"
	is "no process without a name" "$(grep -c 'pid\.[0-9]' "$OUT/flood.trace.events")" 0
fi
tap_end
