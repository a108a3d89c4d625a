#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3600
# takes: 110
# needs: debugstock
# ci
#
# Each allocation that a call causes in the kernel can fail without harm. The kernel's failslab and
# fail_page_alloc make each allocation fail once while the module is loaded and unloaded, and
# in each operation on a session. This includes allocations that the kernel makes for the module;
# test_no_memory.sh tests only the module's own. The debug kernel runs KASAN and lockdep on every
# error path. The operation fails, or works without the memory; nothing stays behind, and the next
# attempt succeeds. KUTRACE_FAST tests a small sample, KUTRACE_FULL all allocations, otherwise a
# larger sample.
KERNEL=debug-6.1
. tests/guest/lib.sh
guest_begin debug_failslab
step=$(effort 41 17 1)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
step=$1
must mount -t debugfs debugfs /sys/kernel/debug
for attr in failslab fail_page_alloc; do
	must cd /sys/kernel/debug/$attr
	echo N >ignore-gfp-wait
	echo 0 >verbose
done
echo N >ignore-gfp-highmem
echo 0 >min-order
cd /tmp
: >/out/wrong
: >/out/others

# nth N OPERATION...: lets allocation N fail. Sets $failed and $result from the output of failnth
nth()
{
	failnth "$@" >/tmp/said 2>/tmp/error
	status=$?
	read -r failed result </tmp/said && [ $status != 2 ] || { echo "$*: status $status: $(cat /tmp/error)" >>/out/wrong; failed=all result=; }
}

# every NAME STEP BEFORE AFTER OPERATION...: repeats the operation, and lets another allocation fail
# each time: the first, and then every STEPth up to the last. BEFORE prepares the operation, AFTER
# undoes it; both must succeed.
every()
{
	name=$1 by=$2 before=$3 after=$4
	shift 4
	n=1 refused=0 borne=0
	while [ $n -lt 20000 ]; do
		eval "$before" >/tmp/before 2>&1 || { echo "$name $n: before: $(cat /tmp/before)" >>/out/wrong; return; }
		nth $n "$@"
		this=$failed	# another nth below changes $failed
		if [ "$result" = well ]; then
			[ $this = all ] || borne=$((borne + 1))
			eval "$after" >/tmp/after 2>&1 || { echo "$name $n: after: $(cat /tmp/after)" >>/out/wrong; return; }
		else
			refused=$((refused + 1))
			[ $this = failed ] || { echo "$name $n: error $result, and nothing has failed" >>/out/wrong; return; }
			# 12 is ENOMEM. For a snapshot, the file system in memory may return ENOSPC
			# (28).
			case "$name $result" in
			*" 12" | "snapshot 28") ;;
			*) echo "$name $n $result" >>/out/others ;;
			esac
			# After a refusal, a second attempt without a failure must succeed.
			nth 0 "$@"
			[ "$result" = well ] || echo "$name $n: afterwards: $result" >>/out/wrong
			eval "$after" >/tmp/after 2>&1 || { echo "$name $n: after: $(cat /tmp/after)" >>/out/wrong; return; }
		fi
		[ $this = failed ] || break
		n=$((n + by))
	done
	echo "$name $n $refused $borne" >>/out/counts
	echo "$name: some $n allocations, $refused refused, $borne borne"
}
fine() { nth 0 "$@"; [ "$result" = well ]; }

every load $step true 'rmmod kutrace' load /lib/kutrace.ko mb=1
every unload 1 'insmod /lib/kutrace.ko mb=1' true unload
must insmod /lib/kutrace.ko mb=1
small=$(((step + 7) / 8))
every create $small true 'fine destroy' create
every destroy 1 'fine create' true destroy
must fine create
every go $small true 'fine off' go
every off 1 'fine go' true off
every filter 1 true true filter
every trigger 1 true true trigger
every mask 1 true true mask
must fine go
every marks 1 true true marks
every signal 1 'fine no_triggers' true signal
must fine no_triggers
every point 1 true true point
every snapshot $small true true snapshot /tmp/failing.trace
must fine off
must kutrace_control --session s stop /out/last.trace
must fine destroy
kutrace_control session list | grep -v '^main' >/out/left
must rmmod kutrace
SCRIPT

# The kernel's own warnings when it has no memory to switch a static key of a module or to remove a
# kprobe. Reports of KASAN, lockdep and similar checks have other texts.
allow='WARNING: CPU: [0-9]+ PID: [0-9]+ at kernel/(jump_label\.c:[0-9]+ jump_label_|kprobes\.c:[0-9]+ (__disarm_kprobe_ftrace|register_kprobe)\+)|Call Trace:$'
if guest_run "$TAP_TMP/script" --cpus 2 --timeout 3000 --allow "$allow" --file "$GUEST_BIN/failnth" -- "$step"; then
	is "no operation had an unexpected result" "$(cat "$OUT/wrong")" ""
	sed 's/^/# /' "$OUT/counts" >&2
	for what in load unload create destroy go off filter trigger mask marks signal point snapshot; do
		ok "$what: repeated until no allocation failed" grep -q "^$what " "$OUT/counts"
	done
	for what in load create go point; do
		between "$what: refusals because of missing memory" "$(awk -v what=$what '$1 == what { print $3 }' "$OUT/counts")" 1 20000
	done
	is "all refusals are because of missing memory" "$(cat "$OUT/others")" ""
	is "no session stays behind" "$(cat "$OUT/left")" ""
fi
tap_end
