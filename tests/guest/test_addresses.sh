#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 20
#
# Users who may not record get no kernel address from the module, and a member of the group gets one
# only in a recording with PC samples. The test searches for addresses in everything that users can
# read: the device, its mapping, its nodes, sysfs, procfs and the log, at each kernel.kptr_restrict.
# Root's list of symbols shows that the search finds addresses.
. tests/guest/lib.sh
guest_begin addresses

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
printf 'alice:x:1000:1000::/tmp:/bin/sh\n' >>/etc/passwd
sed -i 's/^tracing:x:500:.*/tracing:x:500:alice/' /etc/group
echo 0 >/proc/sys/kernel/dmesg_restrict
chmod 1777 /out
cat >/bin/gather <<'END'
#!/bin/sh
# OUT: writes everything that this user can read of the module to OUT.*
{
	find /sys/module/kutrace/ /sys/class/kutrace/ /sys/class/misc/kutrace_control/ \
		/sys/devices/virtual/kutrace/ /sys/devices/virtual/misc/kutrace_control/ -type f -exec cat {} + 2>/dev/null
	find /proc -maxdepth 1 -name '*kutrace*' -exec cat {} + 2>/dev/null
	grep -i kutrace /proc/misc /proc/devices
	dmesg | grep -i kutrace
	for command in status 'status --json' 'session list' 'session list --json' tracepoints 'mask' doctor; do
		kutrace_control $command 2>&1
	done
	privilege root 2>&1
	cat /dev/kutrace/ctl /dev/kutrace/tracepoints
} >"$1.text" 2>&1
# A user without a right to record who has no session can map only the first page.
privilege root page >"$1.page" 2>/dev/null
cat /dev/kutrace/aux >"$1.aux" 2>/dev/null
cat /dev/kutrace/cpu000 >"$1.cpu" 2>/dev/null
true
END
chmod 755 /bin/gather
for restrict in 0 1 2; do
	echo $restrict >/proc/sys/kernel/kptr_restrict
	must insmod /lib/kutrace.ko mb=4 marks_all=1 gid=500
	chgrp 500 /dev/kutrace/ctl /dev/kutrace/tracepoints /dev/kutrace/aux /dev/kutrace/cpu*
	must kutrace_control go
	su nobody -s /bin/sh -c "gather /out/plain$restrict"
	su alice -c "gather /out/group$restrict"
	must kutrace_control stop /tmp/x.trace
	su alice -c "kutrace_control start --mask -pcsample && workload >/dev/null 2>&1; kutrace_control stop /out/group$restrict.trace" >/out/alice$restrict 2>&1
	su alice -c "kutrace_control mask all && kutrace_control go && workload >/dev/null 2>&1; kutrace_control stop /out/samples$restrict.trace" >>/out/alice$restrict 2>&1
	must rmmod kutrace
done
echo 0 >/proc/sys/kernel/kptr_restrict
grep -i ' t ' /proc/kallsyms | head -n 300 >/out/control.text
SCRIPT

# addresses FILE.text, addresses FILE: print the number of kernel addresses in a text, or in a file
# of 64-bit words.
addresses()
{
	case $1 in
	*.text) grep -aciE '(^|[^0-9a-f])(0x)?ffff[89a-f][0-9a-f]{11}([^0-9a-f]|$)' "$1" ;;
	*) od -An -v -t x8 -w8 "$1" | grep -cE '^ ffff[89a-f]' ;;
	esac
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/privilege"; then
	between "the search finds addresses in a text that has some" "$(addresses "$OUT/control.text")" 250 300
	for who in plain group; do
		for restrict in 0 1 2; do
			at=$OUT/$who$restrict
			between "$who, kptr_restrict=$restrict: the searched text is not empty" \
				"$(wc -c <"$at.text")" 1000 1000000
			is "$who, kptr_restrict=$restrict: no address in the text" \
				"$(addresses "$at.text")" 0
			is "$who, kptr_restrict=$restrict: the mapping is its first page" \
				"$(wc -c <"$at.page")" 4096
			is "$who, kptr_restrict=$restrict: no address in this page" "$(addresses "$at.page")" 0
			is "$who, kptr_restrict=$restrict: nothing of root's recording can be read" \
				"$(cat "$at.aux" "$at.cpu" | wc -c)" 0
		done
	done
	for restrict in 0 1 2; do
		ok "group, kptr_restrict=$restrict: event text" trace_text "$OUT/group$restrict.trace"
		between "group, kptr_restrict=$restrict: number of events" "$(grep -vc '^#' "$OUT/group$restrict.trace.events")" 1000 100000000
		cp "$OUT/group$restrict.trace.events" "$OUT/group$restrict.events.text"
		is "group, kptr_restrict=$restrict: no address in the events" "$(addresses "$OUT/group$restrict.events.text")" 0
		# docs/guide/security.md describes this exception.
		ok "group, kptr_restrict=$restrict: event text with PC samples" \
			trace_text "$OUT/samples$restrict.trace"
		cp "$OUT/samples$restrict.trace.events" "$OUT/samples$restrict.events.text"
		between "group, kptr_restrict=$restrict: the PC samples are kernel addresses" \
			"$(addresses "$OUT/samples$restrict.events.text")" 1 100000
	done
fi
tap_end
