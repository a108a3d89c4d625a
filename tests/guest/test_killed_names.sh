#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 30
#
# Names that a program registered are in the trace, although the program was killed before the names
# were read: its lock, queue, resource, RPC and typed tracepoint. This holds for a dump, for a later
# snapshot while the recording continues and wraps, and for the trace from a crash dump.
. tests/guest/lib.sh
guest_begin killed_names
top=$OUT
work=$(mktemp -d)	# short, because a socket's path has at most 107 bytes
trap 'rm -rf "$work"; tap_cleanup' EXIT

cat >"$work/script" <<'SCRIPT'
#!/bin/sh
# speak NUMBER: starts a program that registers its names, and kills it
speak()
{
	register_names $1 >/tmp/said.$1 &
	until grep -q said /tmp/said.$1; do usleep 20000; done
	kill -KILL $!
	wait $!
	echo $? >>/out/how
}
must insmod /lib/kutrace.ko mb=2
must kutrace_control go
speak 41
must kutrace_control stop /out/killed.trace
must kutrace_control start --wrap
workload --quiet
speak 42
workload --quiet
must kutrace_control snapshot -o /out/later.trace
if [ "$1" = panic ]; then
	speak 43
	echo c >/proc/sysrq-trigger
	sleep 1000
fi
must kutrace_control stop /out/end.trace
must rmmod kutrace
SCRIPT

# has NAME TRACE NUMBER: checks that the trace has the names, and the events with these names
has()
{
	local what

	if ! trace_text "$2"; then
		fail "$1: the filters read it"
		return
	fi
	for what in last_queue_$3 last_resource_$3 last_method_$3; do
		is "$1: $what is a name, from its registration on" "$(awk -v name="$what" '!/^#/ && NF == 5 && $1 >= 0 && $5 == name' "$2.events" | grep -c .)" 1
		between "$1: events of $what" "$(awk -v name="$what" '!/^#/ && NF > 5 && index($0, name)' "$2.events" | grep -c .)" 10 1000
	done
	like "$1: the lock's name" "$(awk '!/^#/ && NF == 5 { print $5 }' "$2.events")" 'register_names.c:[0-9]'
	between "$1: the typed tracepoint, with its name" "$(grep -c "register_names.*$3" "$2.events")" 10 1000
}

run_it()	# NAME BOOT-OPTION...
{
	OUT=$top/$1
	mkdir -p "$OUT"
	shift
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$work/script" --out "$OUT" --cpus 2 --timeout 300 \
		--file "$KO:/lib/kutrace.ko" --file "$BUILD/bin/static/kutrace_control" \
		--file "$GUEST_BIN/workload" --file "$GUEST_BIN/register_names" "$@" >"$OUT/boot.log" 2>&1
}

if run_it end; then
	pass "the guest's script succeeded, the kernel log is clean"
	is "the programs were killed" "$(sort -u "$OUT/how")" 137
	has "killed before stop" "$OUT/killed.trace" 41
	has "killed long before a snapshot" "$OUT/later.trace" 42
else
	fail "the guest's script succeeded, the kernel log is clean" "$(tail -n 5 "$OUT/boot.log")"
fi
if run_it panic --mem 256 --append unknown_nmi_panic --qmp "$work/qmp" --dump "elf:$work/elf" -- panic; then
	ok "kutrace_crash" "$BUILD/bin/kutrace_crash" --session main -o "$OUT/crash.trace" "$work/elf"
	has "in a crash dump" "$OUT/crash.trace" 43
	has "in a crash dump, names of the program before" "$OUT/crash.trace" 42
else
	fail "the guest panics and is dumped" "$(tail -n 5 "$OUT/boot.log")"
fi
tap_end
