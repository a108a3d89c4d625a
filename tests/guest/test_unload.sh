#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1300
# takes: 20
#
# Loads the module, records and unloads it 20 times under load on the stock
# kernel; every second time recording is still on when it is unloaded. An
# unload while somebody has the device open must be refused.
. tests/guest/lib.sh
guest_begin unload

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# The load starts before the module is there, so it never opens the device: it has worked for a while.
workload --quiet --repeat 1000000 &
load=$!
until [ "$(awk '{ print $14 + $15 }' /proc/$load/stat)" -ge 10 ]; do usleep 20000; done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	insmod /lib/kutrace.ko mb=8 || exit 10
	if [ $((i % 2)) = 1 ]; then
		kutrace_control run -o /tmp/t.trace -- usleep 100000 || exit 11
		[ -s /tmp/t.trace ] || exit 12
		cp /tmp/t.trace /out/last.trace
	else
		printf 'reset\ninit\n' | kutrace_control >/dev/null || exit 13
		kutrace_control 1 || exit 14
		usleep 100000
	fi
	if [ $i = 20 ]; then
		exec 3</dev/kutrace/control || exit 15
		rmmod kutrace 2>/dev/null && exit 16
		echo refused >/out/refused
		exec 3<&-
	fi
	rmmod kutrace || exit 17
	[ ! -e /dev/kutrace/control ] || exit 18
	grep -q kutrace /proc/modules && exit 19
	echo $i >>/out/rounds
done
kill -0 $load || exit 20
kill $load
# What it was attached to works still.
workload >/out/after || exit 21
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 1200; then
	is "20 rounds of load, record, unload" "$(wc -l <"$OUT/rounds")" 20
	is "unload with the device open is refused" "$(cat "$OUT/refused")" refused
	trace_ok "the last recording under load" "$OUT/last.trace"
	is "the workload runs as before afterwards" \
		"$(witness "$OUT/after" burst getpid)" 1009
fi
tap_end
