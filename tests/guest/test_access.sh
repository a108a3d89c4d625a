#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
#
# The device grants each kind of user exactly what the module's parameters allow: root, the group,
# users with CAP_PERFMON, others. prog/access.c tries each operation as each of them, and the
# expected results are listed below. The group gets the device by its owner and mode, as a udev rule
# would do it. Every command also refuses each bit that has no meaning (prog/reserved_bits.c), and a 32-bit
# program makes all calls (prog32/ioctl32.c).
. tests/guest/lib.sh
guest_begin access

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
device=/dev/kutrace/control
node() { stat -c '%a %u %g' $device; }

must insmod /lib/kutrace.ko mb=1
must kutrace_control session create theirs --size 1
node >/out/default.node
cat /dev/kutrace/ctl >/out/ctl.all
must access 0 0 >/out/default.root
must reserved_bits >/out/reserved_bits
echo 'clrbits 0xffffffffffffffff' >/dev/kutrace/ctl || die "cannot write /dev/kutrace/ctl"
cat /dev/kutrace/ctl >/out/ctl.none
echo 'setmask 0xffffffffffffffff 0xffffffffffffffff' >/dev/kutrace/ctl || die "cannot write /dev/kutrace/ctl"
cat /dev/kutrace/ctl >/out/ctl
must kutrace_control run -o /out/32.trace -- ioctl32 >/out/ioctl32
must access 65534 65534 >/out/default.nobody
must kutrace_control session create theirs --size 1
chgrp 500 $device /dev/kutrace/*
must access 1000 1000 500 >/out/default.group
must rmmod kutrace

must insmod /lib/kutrace.ko mb=1 mode=0600
node >/out/mode.node
chgrp 500 $device
must access 1000 1000 500 >/out/mode.group
must rmmod kutrace

must insmod /lib/kutrace.ko mb=1 marks_all=1 gid=500
must kutrace_control session create theirs --size 1
node >/out/all.node
must access 65534 65534 >/out/all.nobody
must access 1000 1000 500 >/out/all.group
kutrace_control session create theirs --size 1 2>/dev/null
must access 65534 65534 perfmon >/out/all.perfmon
must rmmod kutrace

must_fail insmod /lib/kutrace.ko mb=0 2>/dev/null
must_fail insmod /lib/kutrace.ko mb=65537 2>/dev/null
dmesg | grep 'kutrace: mb=' >/out/mb.log
exit 0
SCRIPT

says()	# NAME FILE ATTEMPT EXPECTED
{
	is "$1: $3" "$(awk -v what="$3" '$1 == what { print $2; exit }' "$OUT/$2")" "$4"
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/access" \
	--file "$GUEST_BIN/reserved_bits" --file "$GUEST_BIN/ioctl32"; then
	is "node by default" "$(cat "$OUT/default.node")" "660 0 0"
	is "node with mode=0600" "$(cat "$OUT/mode.node")" "600 0 0"
	is "node with marks_all" "$(cat "$OUT/all.node")" "666 0 0"

	for who in default.root default.group all.group all.perfmon; do
		for attempt in open-rw info info-large version reset on insert insert-name mark mark-lock \
			off poll-after-off map-meta map-aux map-block open-ro ro-mark \
			ro-map-meta; do
			says "$who" $who $attempt ok
		done
		for attempt in reset-ipc reset-percpu reset-while-on insert-call \
			insert-bad-name insert-pause insert-partial insert-nowhere no-such-command; do
			says "$who" $who $attempt refused
		done
		for attempt in info-short reset-unknown reset-next mark-context-switch mark-tsdelta mark-sample \
			mark-syscall mark-nothing mark-beyond mark-long map-aux-beyond \
			map-block-beyond; do
			says "$who" $who $attempt EINVAL
		done
		says "$who" $who session-mask-unknown EINVAL
		says "$who" $who info-nowhere EFAULT
		says "$who" $who control-nowhere EFAULT
		says "$who" $who no-such-ioctl ENOTTY
		says "$who" $who map-writable EPERM
	done
	for who in default.root default.group all.group all.perfmon; do
		for attempt in session-list session-create session-mask \
			session-filter session-trigger session-fired session-attend session-lost \
			session-map keep-create keep-again keep-attach keep-other keep-end \
			attend-first attend-again attend-after; do
			says "$who" $who $attempt ok
		done
		for attempt in session-name session-latin-1 session-endless session-huge session-tiny session-large \
			session-filter-long session-filter-longer session-trigger-kind \
			session-attend-what session-lost-large; do
			says "$who" $who $attempt EINVAL
		done
		says "$who" $who session-nobody ENOENT
		says "$who" $who session-taken EEXIST
		says "$who" $who session-nowhere EFAULT
		says "$who" $who attend-second EBUSY
		case $who in default.*) says "$who" $who node-late EBUSY ;; esac
	done
	# Users with a capability may do everything with others' sessions; the group may not.
	for who in default.root all.perfmon; do
		says "$who" $who session-theirs ok
		says "$who" $who session-end-theirs ok
		says "$who" $who session-main ok
		says "$who" $who session-late EBUSY
		says "$who" $who session-end-main EPERM
		is "$who: the main session is allowed like an own session" "$(grep -c ^main- "$OUT/$who")" 0
	done
	# CAP_PERFMON needs the device open only for reading.
	says all.perfmon all.perfmon ro-version ok
	says all.perfmon all.perfmon ro-map-block ok
	for who in default.group all.group; do
		says "$who" $who session-theirs EACCES
		says "$who" $who session-end-theirs EACCES
		# The main session belongs to the user who loaded the module: the group gets EACCES.
		for attempt in session-main session-late session-end-main main-off main-on \
			main-flush main-reset main-count main-word main-set4kb main-get4kb \
			main-ipc-word main-ipc-4kb main-insert-off main-insert-name-off \
			main-mask main-filter main-trigger main-fired main-attend main-keep \
			main-map-table-only main-map-aux main-map-block; do
			says "$who" $who $attempt EACCES
		done
		says "$who" $who main-map-table EINVAL
		for attempt in main-info main-lost main-version main-test main-mark main-map-meta; do
			says "$who" $who $attempt ok
		done
	done
	for attempt in main-file-mask main-file-switch main-file-aux main-file-cpu \
		main-file-session; do
		says default.group default.group $attempt EACCES
	done
	says default.group default.group main-file-state ok
	for attempt in session-list session-theirs session-main session-create session-mask \
		session-filter session-trigger session-fired session-attend session-lost \
		session-end-theirs attend-first; do
		says all.nobody all.nobody $attempt EPERM
	done
	# Without a capability, opening for reading is enough for marks only.
	says default.group default.group ro-version EPERM
	says default.group default.group ro-map-block EPERM
	says default.nobody default.nobody open-rw EACCES
	says default.nobody default.nobody open-ro EACCES
	says mode.group mode.group open-rw EACCES
	for attempt in info version reset on off insert insert-name map-aux map-block; do
		says all.nobody all.nobody $attempt EPERM
	done
	says all.nobody all.nobody open-rw ok
	says all.nobody all.nobody mark ok
	says all.nobody all.nobody map-meta ok
	for command in $(sed -n 's/^#define KUTRACE_IOC_\([A-Z_]*\)[[:space:]].*_IO.*/\1/p' module/uapi/kutrace_abi.h); do
		like "$command refuses bits without a meaning" "$(grep "^$command " "$OUT/reserved_bits")" \
			'^[A-Z_]+ valid ok refused ([0-9]+) of \1$'
	done
	is "no unknown bit was accepted" "$(grep -c '^BAD' "$OUT/reserved_bits")" 0
	between "bits tried" "$(awk '/ of / { n += $NF } END { print n }' "$OUT/reserved_bits")" 3000 100000
	is "the text file ctl ignores bits that stand for no kind of event" "$(cat "$OUT/ctl")" "$(cat "$OUT/ctl.all")"
	like "the text file ctl shows the mask of a recording of all kinds" "$(cat "$OUT/ctl.all")" \
		'^setmask (0x[0-9a-f]{16}) \1$'
	unlike "the text file ctl omitted kinds before" "$(cat "$OUT/ctl.none")" \
		'^setmask (0x[0-9a-f]{16}) \1$'
	is "a 32-bit program: marks by struct, and refused calls" "$(grep MARK "$OUT/ioctl32" | tr '\n' ' ')" \
		"MARK_ENTRY 0 MARK_ENTRY-long -22 MARK_ENTRY-nowhere -14 MARK -22 "
	is "a 32-bit program: refused structs" "$(grep -v 'MARK\|version\| 0$' "$OUT/ioctl32" | tr '\n' ' ')" \
		"POINT_FORGET-again -2 ATTEND -22 unknown -25 "
	is "a 32-bit program: versions" "$(grep version "$OUT/ioctl32" | tr '\n' ' ')" \
		"abi_version 1 version 4 "
	is "a 32-bit program: calls" "$(wc -l <"$OUT/ioctl32")" 24
	trace_ok "a 32-bit program" "$OUT/32.trace"
	trace_text "$OUT/32.trace"
	is "a 32-bit program: its marks" "$(count_mark_d "$OUT/32.trace.events" 3201)" 23
	is "no mapping can be made writable" "$(grep -al 'made-writable BAD$' "$OUT"/*.* 2>/dev/null)" ""
	for mb in 0 65537; do
		like "mb=$mb is refused, with a message" "$(cat "$OUT/mb.log")" \
			"mb=$mb is not between 1 and 65536"
	done
fi
tap_end
