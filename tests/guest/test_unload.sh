#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1300
# takes: 20
#
# The module loads, records and unloads 20 times under load on the stock kernel; every second time
# it still records when it is unloaded. rmmod must fail while a process has the device open. Then
# doctor names the processes that keep the module loaded, by an open device, or by a page fault that
# waits for a userfaultfd.
. tests/guest/lib.sh
guest_begin unload

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# Start the load before the module is loaded, so that it never opens the device, and wait until it
# has run for a while.
workload --quiet --repeat 1000000 &
load=$!
until [ "$(awk '{ print $14 + $15 }' /proc/$load/stat)" -ge 10 ]; do usleep 20000; done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	must insmod /lib/kutrace.ko mb=8
	if [ $((i % 2)) = 1 ]; then
		must kutrace_control run -o /tmp/t.trace -- usleep 100000
		must [ -s /tmp/t.trace ]
		cp /tmp/t.trace /out/last.trace
	else
		printf 'reset\ninit\n' | kutrace_control >/dev/null || die "cannot reset"
		must kutrace_control 1
		usleep 100000
	fi
	if [ $i = 20 ]; then
		exec 3</dev/kutrace/control || die "cannot open the device"
		must_fail rmmod kutrace 2>/dev/null
		echo refused >/out/refused
		kutrace_control doctor >/out/doctor.open
		echo "$$ (script" >/out/holder.open
		exec 3<&-
	fi
	must rmmod kutrace
	must [ ! -e /dev/kutrace/control ]
	must_fail grep -q kutrace /proc/modules
	echo $i >>/out/rounds
done
must kill -0 $load
kill $load
must insmod /lib/kutrace.ko mb=8
kutrace_control doctor >/out/doctor.free
must kutrace_control go
mkfifo /tmp/in
late_page </tmp/in >/tmp/late &
exec 4>/tmp/in
until grep -q waits /tmp/late; do usleep 10000; done
read -r word pid tid </tmp/late
until grep -q '^State:.[SD]' /proc/$tid/status; do usleep 10000; done
must kutrace_control stop /tmp/t.trace
until [ "$(cat /sys/module/kutrace/refcnt)" -gt 0 ]; do usleep 50000; done
must_fail rmmod kutrace 2>/dev/null
kutrace_control doctor >/out/doctor.fault
echo "$tid (late_page" >/out/holder.fault
echo >&4
exec 4>&-
until rmmod kutrace 2>/dev/null; do usleep 50000; done
# The kernel functions that the module was attached to still work.
must workload >/out/after
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 1200 --file "$GUEST_BIN/late_page"; then
	is "20 rounds of load, record, unload" "$(wc -l <"$OUT/rounds")" 20
	is "unload with the device open is refused" "$(cat "$OUT/refused")" refused
	for how in open fault; do
		like "doctor names the holder: $how" "$(grep -F "$(cat "$OUT/holder.$how"), " "$OUT/doctor.$how")" \
			'^limit  unload  .* cannot be unloaded'
	done
	like "doctor: nothing holds it" "$(cat "$OUT/doctor.free")" '^good   unload +nothing holds the module$'
	trace_ok "the last recording under load" "$OUT/last.trace"
	is "the workload runs as before afterwards" \
		"$(witness "$OUT/after" burst getpid)" 1009
fi
tap_end
