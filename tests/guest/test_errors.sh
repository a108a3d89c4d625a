#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 30
# ci
#
# Each mistake of a user gives an error of one line with the right exit status, and leaves nothing
# half-written: no module, no permission, full disk, directory that cannot be written, bad module
# parameters. The exit status is 1, or 125 from run, whose other statuses come from its program. A
# mark costs a few instructions without a module or recording, and marks of several processes are
# all recorded. On a machine with more CPUs than a trace can name, the module does not load.
. tests/guest/lib.sh
guest_begin errors

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# try NAME CMD...: writes stdout, stderr and exit status of CMD to /out/NAME.*
try()
{
	name=$1
	shift
	"$@" >/out/$name.out 2>/out/$name.err
	echo $? >/out/$name.status
}
mkdir /ro /full
mount -t tmpfs -o ro tmpfs /ro
mount -t tmpfs -o size=64k tmpfs /full

try nomodule kutrace_control run -o /tmp/x.trace -- true
try nomodule0 kutrace_control 1
try doctor0 kutrace_control doctor
try nomark marker lonely 101
marker --cost 1000 >/out/cost.absent
ls -A /tmp >/out/nomodule.left

must_fail insmod /lib/kutrace.ko mb=0 2>/dev/null
try doctor1 kutrace_control doctor
must insmod /lib/kutrace.ko mb=8
marker --cost 1000 >/out/cost.off
try nobody su nobody -c 'kutrace_control run -o /tmp/x.trace -- true'
try nobodymark su nobody -c 'marker nobody 101'
ls -A /tmp >/out/nobody.left
try doctor2 su nobody -c 'kutrace_control doctor'
chgrp tracing /dev/kutrace/control
try doctor3 su nobody -c 'kutrace_control doctor'
chgrp root /dev/kutrace/control
try devfull kutrace_control run -o /dev/full -- true
try nospace kutrace_control run -o /full/x.trace -- true
ls -A /full >/out/nospace.left
kutrace_control snapshot -o /out/kept.trace >/dev/null
try readonly kutrace_control run -o /ro/x.trace -- true
try nodir kutrace_control run -o /nowhere/x.trace -- true
try nocommand kutrace_control run -o /tmp/y.trace -- /no/such/command
try usage kutrace_control run -o
try failing kutrace_control run -o /tmp/z.trace -- sh -c 'exit 7'
# After these errors, a recording works as before.
must kutrace_control run -o /out/m.trace -- sh -c \
	'marker ka 211 & marker kb 307 & marker kc 401 & marker kd 503 & wait'
must rmmod kutrace
SCRIPT

# Checks that stderr has one line with a cause and a remedy, and the exit status.
one_line()
{
	is "$1: exit status" "$(cat "$OUT/$2.status")" "$3"
	is "$1: one line of error" "$(grep -c . "$OUT/$2.err")" 1
	like "$1: cause and remedy" "$(cat "$OUT/$2.err")" "$4"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 250 --file "$GUEST_BIN/marker"; then
	one_line "no module" nomodule 125 '^kutrace_control: .*(module|insmod|modprobe)'
	one_line "no module, argument 1" nomodule0 1 '^kutrace_control: .*(module|insmod|modprobe)'
	is "no module: nothing left behind" "$(grep -c trace "$OUT/nomodule.left")" 0
	is "no module: a mark is silent" "$(cat "$OUT/nomark.status" "$OUT/nomark.out" "$OUT/nomark.err")" 0
	one_line "not root" nobody 125 '^kutrace_control: .*(permi|root|CAP)'
	is "not root: nothing left behind" "$(grep -c trace "$OUT/nobody.left")" 0
	is "not root: a mark is silent" \
		"$(cat "$OUT/nobodymark.status" "$OUT/nobodymark.out" "$OUT/nobodymark.err")" 0
	is "doctor: exit status if recording is impossible" \
		"$(cat "$OUT"/doctor[0-3].status | tr '\n' ' ')" "1 1 1 1 "
	like "doctor: no module" "$(cat "$OUT/doctor0.out")" '^wrong +module +not loaded, and not installed for this kernel$'
	like "doctor: the refused load" "$(cat "$OUT/doctor1.out")" \
		"^wrong +module +not loaded.* kernel log: mb=0 is not between 1 and 65536\$"
	like "doctor: not root: there is a module" "$(cat "$OUT/doctor2.out")" '^good +module +loaded$'
	like "doctor: not root, and udev has not set the group of the device" "$(cat "$OUT/doctor2.out")" \
		'^wrong +permission +group tracing exists, but /dev/kutrace/control does not belong to it'
	like "doctor: not root, and not in the group" "$(cat "$OUT/doctor3.out")" \
		'^wrong +permission +only root and group tracing'
	for name in devfull:/dev/full nospace:/full/x; do
		# the second line names the command that writes the recording
		kept=$(sed -n 2p "$OUT/${name%:*}.err")
		sed -i 2d "$OUT/${name%:*}.err"
		one_line "${name#*:}" "${name%:*}" 125 "^kutrace_control: .*${name#*:}.*[Nn]o space"
		is "${name#*:}: the recording" "$kept" \
			'kutrace_control: run: the recording is kept; write it with "kutrace_control snapshot -o FILE"'
	done
	ok "a recording that could not be written: by the command of the message" "$BUILD/bin/checktrace" "$OUT/kept.trace"
	is "full disk: nothing left behind" "$(cat "$OUT/nospace.left")" ""
	one_line "read-only directory" readonly 125 '^kutrace_control: .*/ro.*[Rr]ead-only'
	one_line "no such directory" nodir 125 '^kutrace_control: .*/nowhere.*[Nn]o such'
	like "no such command: named" "$(cat "$OUT/nocommand.err")" '/no/such/command'
	is "no such command: exit status" "$(cat "$OUT/nocommand.status")" 127
	is "usage of run: exit status" "$(cat "$OUT/usage.status")" 125
	is "a failing command's status is passed on" "$(cat "$OUT/failing.status")" 7

	trace_ok "marks" "$OUT/m.trace"
	if ok "the filters read the marks" trace_text "$OUT/m.trace" && [ -s "$OUT/m.trace.json" ]; then
		for mark in ka:211 kb:307 kc:401 kd:503; do
			is "marks of ${mark%:*}, all of them" \
				"$(grep -c " mark_c=${mark%:*} " "$OUT/m.trace.events")" "${mark#*:}"
			is "mark_d of ${mark%:*}" \
				"$(count_mark_d "$OUT/m.trace.events" "${mark#*:}")" 1
		done
	fi
	# The number includes the few instructions of the loop.
	for when in absent off; do
		between "1000 marks while nothing is recorded ($when): instructions" \
			"$(cat "$OUT/cost.$when")" 3000 10000
	done
fi

# --- 300 possible CPUs, then a limit of 256 ---
cat >"$TAP_TMP/cpus" <<'SCRIPT'
#!/bin/sh
cat /sys/devices/system/cpu/possible >/out/possible
insmod /lib/kutrace.ko mb=1 2>/out/insmod.err && rmmod kutrace && echo loaded >/out/loaded
dmesg | grep 'kutrace:' >/out/said
:
SCRIPT
# Since Linux 6.9, the kernel counts only the CPUs that the firmware lists, and QEMU's lists too
# few. tests/unit/test_ring.c tests the limit itself.
case $KVER in
6.[1-8].* | 6.[1-8]-*) ;;
*)
	skip "300 CPUs" "$KVER takes no possible_cpus="
	tap_end
	;;
esac
top=$OUT
OUT=$top/300
mkdir -p "$OUT"
if guest_run "$TAP_TMP/cpus" --cpus 1 --append possible_cpus=300; then
	is "300 CPUs are possible" "$(cat "$OUT/possible")" 0-299
	is "the module does not load there" "$(cat "$OUT/loaded" 2>/dev/null)" ""
	like "the log has cause and remedy" "$(cat "$OUT/said")" \
		'may have 300 CPUs, but a trace can have only 256; set nr_cpus=256 '
fi
OUT=$top/256
mkdir -p "$OUT"
if guest_run "$TAP_TMP/cpus" --cpus 1 --append "possible_cpus=300 nr_cpus=256"; then
	is "256 CPUs are possible" "$(cat "$OUT/possible")" 0-255
	is "the module loads with this limit" "$(cat "$OUT/loaded" 2>/dev/null)" loaded
fi
tap_end
