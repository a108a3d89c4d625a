#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 40
#
# Each allocation that fails gives an error message or does no harm, and leaves nothing behind. Each
# single allocation, and each registration that needs memory, fails once: when the module is loaded,
# when a session is created, and when a recording begins and ends (kutrace_fail.ko; kernels of
# distributions have no failslab). The kernel's log stays clean, and the next attempt succeeds. Runs
# on the stock kernel; KUTRACE_FAST tests every fifth allocation.
. tests/guest/lib.sh
guest_begin no_memory
step=$(effort 5 1 1)
ok "the module that lets allocations fail is built" sh -c \
	"tests/guest/module_build.sh '$KDIR' '$KVER' '$BUILD' '$KSUITE' tests/guest/module/fail >'$OUT/built.log' 2>&1"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
step=$1
[ ! -e /proc/sys/debug/kprobes-optimization ] || echo 0 >/proc/sys/debug/kprobes-optimization
must insmod /lib/fail.ko
failed() { read -r _calls _failed _which </proc/kutrace_fail; [ "$_failed" = 1 ]; }
here() { grep -q '^kutrace ' /proc/modules; }

# every WHAT UNDO COMMAND: lets each allocation of COMMAND fail in turn. Runs UNDO after each
# success.
every()
{
	n=1 refused=0 borne=0
	while :; do
		echo $n >/proc/kutrace_fail
		if eval "$3" >/tmp/said 2>&1; then
			if ! failed; then
				echo 0 >/proc/kutrace_fail
				eval "$2" >/tmp/undone 2>&1 || echo "$1: cannot be undone: $(cat /tmp/undone)" >>/out/wrong
				break
			fi
			borne=$((borne + 1))
			echo "$1 $n $_which borne" >>/out/each
			echo 0 >/proc/kutrace_fail
			eval "$2" >/tmp/undone 2>&1 || { echo "$1 $n: cannot be undone: $(cat /tmp/undone)" >>/out/wrong; return; }
		else
			refused=$((refused + 1))
			failed && echo "$1 $n $_which refused" >>/out/each || echo "$1 $n: failed for another reason than memory: $(cat /tmp/said)" >>/out/wrong
			[ -s /tmp/said ] || echo "$1 $n: failed without a message" >>/out/wrong
		fi
		n=$((n + step))
		[ $n -lt 2000 ] || break
	done
	echo 0 >/proc/kutrace_fail
	echo "$1 $n $refused $borne" >>/out/counts
}
: >/out/wrong

every load 'rmmod kutrace' 'insert /lib/kutrace.ko mb=1'
must_fail here
must [ ! -e /dev/kutrace/control ]
must insmod /lib/kutrace.ko mb=2
# Creating a session allocates all of its data, and the file of its filter.
every session 'kutrace_control session destroy s' 'kutrace_control session create s --size 1'
only_main()
{
	kutrace_control session list | grep -v '^main' >/tmp/list && sed 's/^/left behind: /' /tmp/list >>/out/wrong
}
only_main
every record 'kutrace_control stop /tmp/r.trace' 'kutrace_control go'
kutrace_control off 2>/dev/null
every beside 'kutrace_control --session b stop /tmp/b.trace && kutrace_control session destroy b' \
	'kutrace_control --session b start --size 1 --trigger "syscall>9s" --pid 1 || { kutrace_control session destroy b; false; }'
only_main
must rmmod kutrace_fail
must kutrace_control run -o /out/after.trace -- sh -c 'kutrace_control status' >/dev/null
must rmmod kutrace
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 1200 \
	--file "$GUEST_BIN/insert" --file "$BUILD/module/$KVER/fail/kutrace_fail.ko:/lib/fail.ko" -- "$step"; then
	is "no operation had an unexpected result" "$(cat "$OUT/wrong")" ""
	sed 's/^/# /' "$OUT/counts" >&2
	for what in load session record beside; do
		between "$what: allocations that have failed" \
			"$(awk -v what=$what '$1 == what { print $3 + $4 }' "$OUT/counts")" 1 2000
	done
	# Without contiguous pages for a block, the module uses single pages. Little else can be
	# missing without an error.
	for what in load session; do
		between "$what: refused operations" "$(grep -c "^$what .* refused" "$OUT/each")" 3 2000
		between "$what: successes without some memory, except for blocks" \
			"$(grep "^$what .* borne" "$OUT/each" | grep -vc ' [_a-z]*alloc_pages')" 0 3
	done
	trace_ok "afterwards" "$OUT/after.trace"
fi
tap_end
