#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the cost of a hook: guest instructions for one getpid system call on a stock kernel,
# counted exactly under QEMU's icount.
#
#	tests/bench/hooks.sh [NAME]	NAME is a name of tests/guest/kernel.sh, such as stock-7.2;
#					default: the kernel of `make guest-payload`
#
# In these states:
#
#	stock-absent		kutrace.ko not loaded
#	stock-floor		not loaded; empty probes at both tracepoints of system calls
#	stock-fast		the same at syscall_begin and syscall_end, if the kernel has these
#	stock-off		loaded, not recording
#	stock-on		recording, nothing lost
#	stock-masked		... without softirqs
#	stock-filtered		... of this process only
#	stock-triggered		... with a trigger for a long read()
#	stock-watched		... with a trigger for any long system call, so also for this one
#	stock-soon		... with both this trigger and one for an msync() of 1 us
#	stock-two		... beside another recording
#	stock-three		... beside two others
#	stock-counted		... with instructions per cycle, by artificial counters of a test module
#	stock-direct		recording, system calls by direct hooks (syscalls=direct)
#	stock-direct-masked	... with a mask, as above; and also with the other variants:
#	stock-direct-filtered, stock-direct-triggered, stock-direct-watched, stock-direct-two
#	stock-removed		unloaded again
#	raw-syscalls-events	the kernel's own raw_syscalls events instead
#
# Each state is measured with a result of up to 127, which is recorded in the call's entry, and, as
# NAME-long, with a larger result, such as a real process id, which takes a second entry. The script
# also measures a page fault, context switches, timer interrupts and packets (NAME-fault, -switch,
# -yield, -interrupt, -tick, -datagram, -segment: tests/guest/prog/hook_cost.c): without the module,
# recording, recording one of two alternating processes (stock-filtered), recording only packets
# (stock-packets), with the end of page faults by a kretprobe (stock-kretprobe), with system calls by
# direct hooks, and unloaded. There are no figures for direct hooks (7.2), the kretprobe (riscv64 before
# 7.2) or artificial counters (riscv64) where these are not available.
#
# Prints a table and puts the figures into $BUILD/bench/hooks.json, those of a kernel with a NAME as
# "stock-on@7.2". `make bench` and test_cost.sh run it. It must fail rather than leave old figures
# in that file. Exit status: 0; 1 if a state could not be measured or a limit is exceeded; 77 if the
# kernel is not available.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
json=$build/bench/hooks.json
name=${1-}
at=${name:+@${name#stock-}}
out=$build/bench/guest$at
. tests/bench/hooks.inc
mkdir -p "$out"
figures_put "$json" "$at" stock- raw- </dev/null
rm -f "$out/hooks"
if [ -n "$name" ]; then
	status=0
	tests/guest/payload.sh "$name" >"$out/payload.log" 2>&1 || status=$?
	[ "$status" = 0 ] || { tail -n 3 "$out/payload.log" >&2; exit "$status"; }
	. "$build/guest/env-$name"
else
	. "$build/guest/env"
fi

tests/guest/module_build.sh "$KDIR" "$KVER" "$build" "$KSUITE" tests/guest/module/empty_probe >"$out/empty_probe.log" 2>&1 ||
	{ tail -n 3 "$out/empty_probe.log" >&2; exit 1; }
counters=$(tests/bench/counters.sh "$KDIR" "$KVER" "$KSUITE")

echo "hooks: getpid in a guest under icount, $(basename "$KERNEL_DIR"), 1 CPU"
tests/guest/boot.sh --kernel "$KERNEL_DIR" --icount --timeout 600 \
	--script tests/bench/hooks_guest.sh --out "$out" \
	--file "$KO:/lib/kutrace.ko" --file "$build/module/$KVER/empty_probe/empty_probe.ko:/lib/empty_probe.ko" \
	--file "$counters:/lib/counters.ko" \
	--file "$GUEST_BUILD/bin/static/kutrace_control" --file "$GUEST_BUILD/guest/bin/getpid_cost" \
	--file "$GUEST_BUILD/guest/bin/hook_cost"
awk '
BEGIN { n = split("stock-absent stock-floor stock-fast stock-off stock-on stock-masked stock-filtered stock-triggered stock-watched stock-soon stock-two stock-three stock-counted stock-direct stock-direct-masked stock-direct-filtered stock-direct-triggered stock-direct-watched stock-direct-two stock-removed raw-syscalls-events", order, " ") }
{ value[$1] = $2; how[$1] = $3 " " $4 " " $5 }
END {
	for (i = j = 1; i <= n; i++) {
		split(order[i], part, "-")
		if (value[part[2]] != "no")
			order[j++] = order[i]
	}
	n = j - 1
	for (i = 1; i <= n; i++) {
		long = order[i] "-long"
		if (!(order[i] in value) || !(long in value)) {
			print "hooks: no figure for " order[i] " or " long > "/dev/stderr"
			exit 1
		}
	}
	printf "  %-22s %12s %12s %12s %12s\n", "insn/getpid", "result < 128", "over absent", \
		"longer", "over absent" > "/dev/stderr"
	for (i = 1; i <= n; i++) {
		long = order[i] "-long"
		printf "  %-22s %12.1f %+12.1f %12.1f %+12.1f   %s\n", order[i], value[order[i]], \
			value[order[i]] - value["stock-absent"], value[long], \
			value[long] - value["stock-absent-long"], how[order[i]] > "/dev/stderr"
	}
	k = split("fault switch yield interrupt tick datagram segment", kind, " ")
	m = split("stock-absent stock-on stock-watched stock-filtered stock-packets stock-removed " \
		(value["kretprobe"] == "no" ? "" : "stock-kretprobe ") \
		(value["direct"] == "no" ? "" : "stock-direct"), state, " ")
	for (i = 1; i <= k; i++) {
		for (j = 1; j <= m; j++)
			if (!((state[j] "-" kind[i]) in value)) {
				print "hooks: no figure for " state[j] "-" kind[i] > "/dev/stderr"
				exit 1
			}
		a = value["stock-absent-" kind[i]]
		printf "  %-22s %12.1f absent", kind[i], a > "/dev/stderr"
		for (j = 2; j <= m; j++)
			printf " %+12.1f %s", value[state[j] "-" kind[i]] - a, substr(state[j], 7) > "/dev/stderr"
		printf "\n" > "/dev/stderr"
	}
	for (i = 1; i <= k; i++)
		for (j = 1; j <= m; j++)
			print state[j] "-" kind[i], value[state[j] "-" kind[i]], "instructions"
	for (i = 1; i <= n; i++) {
		print order[i], value[order[i]], "instructions/getpid"
		print order[i] "-long", value[order[i] "-long"], "instructions/getpid"
	}
}' "$out/hooks" 2>"$out/table" >"$out/figures" || { cat "$out/table" >&2; exit 1; }
cat "$out/table"
figures_put "$json" "$at" stock- raw- <"$out/figures"
broken=0
uses() # PLAIN PREFIX
{
	figures_uses "$out/hooks" stock-absent "$1" "$2"{masked,filtered,triggered,watched}:1.3 "$2two:1.5" ||
		broken=1
}
uses stock-on stock-
direct=
grep -q '^direct no' "$out/hooks" || direct=1
[ -z "$direct" ] || uses stock-direct stock-direct-
# These limits are for x86-64. docs/results/hooks.md has the figures of other architectures.
case $name in
*-arm64 | *-riscv64) exit "$broken" ;;
esac
limits=("a page fault" 200 "+ stock-on-fault - stock-absent-fault"
	"a context switch alone" 250 "+ stock-on-yield - stock-absent-yield - stock-on + stock-absent"
	"no module" 0 "+ stock-removed - stock-absent")
for state in on masked filtered triggered watched two counted ${direct:+direct direct-masked direct-filtered \
		direct-triggered direct-watched direct-two}; do
	limits+=("a larger result, $state" 50 "+ stock-$state-long - stock-$state")
done
figures_limits "$out/hooks" "${limits[@]}" || broken=1
exit "$broken"
