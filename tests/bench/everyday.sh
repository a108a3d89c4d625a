#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures how much recording costs everyday work, and compares it with other tracers that record
# the same events: calls of getpid, a ping-pong by pipes, requests and answers by TCP, page faults,
# executed programs, 48 threads that wait for one futex, a compiled file (tests/guest/prog/everyday.c).
#
#	tests/bench/everyday.sh [KERNEL...]	stock, stock-6.12, patched-6.1 ..., names of `make demo`; default:
#					stock and patched-6.1
#
# Each kernel is booted twice: with one CPU under QEMU's icount, where a nanosecond is an
# instruction, and with two CPUs, by the clock. The states are:
#
#	- nothing is recorded (untraced);
#	- kutrace (ours); with a mask that omits softirqs; with a filter by process id; with a second
#	  recording beside it; with instructions per cycle, by artificial counters of a test module, because
#	  QEMU has none (reading real counters costs more); with direct hooks of system calls;
#	- on a stock kernel, the same events in the kernel's own ring buffer (ftrace), by perf trace, by perf
#	  record, by LTTng, and counted by bpftrace, all from Debian.
#
# States that are not available are left out, with a message.
#
# EVERYDAY_STATES="untraced lttng" selects states; the first must be untraced. EVERYDAY_HOW=insns or wall
# selects one way of measuring.
#
# Prints two tables for each kernel, and writes the figures to $BUILD/bench/everyday.json:
# KERNEL-insns-STATE-WORK and KERNEL-wall-STATE-WORK for one unit of the work, and
# KERNEL-insns-STATE-events, -bytes and -lost for the whole run. Exit status: 0; 1 if a measurement
# failed; 77 if a kernel or a program is not available.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
out=$build/bench/everyday
json=$build/bench/everyday.json
. tests/bench/hooks.inc
mkdir -p "$out"
[ $# -gt 0 ] || set -- stock patched-6.1
ours="untraced ours ours-masked ours-filtered ours-two ours-ipc"
others="ours-direct ftrace perf-trace perf-record lttng bpftrace"

programs=()
while IFS= read -r file; do
	programs+=(--file "$file")
done < <(tests/guest/programs.sh perf linux-perf usr/bin/perf && tests/guest/programs.sh bpftrace bpftrace usr/bin/bpftrace)
[ ${#programs[@]} -gt 0 ] || { echo "everyday: perf or bpftrace is missing" >&2; exit 77; }
# Copies this machine's compiler proper (cc1), and a source for it, into the guest.
cc1=$(${CC:-cc} -print-prog-name=cc1)
compiler=(--file "$cc1:/bin/cc1")
for library in $(ldd "$cc1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p'); do
	compiler+=(--file "$library:/lib/x86_64-linux-gnu/${library##*/}")
done
compiler+=(--file "/lib64/ld-linux-x86-64.so.2:/lib64/ld-linux-x86-64.so.2")
${CC:-cc} -E -P -Imodule/uapi tests/guest/prog/hook_cost.c >"$out/source.i"

# once KERNEL HOW REPEATS BOOT-OPTION...: boots the kernel once and measures all states
once()
{
	local kernel=$1 how=$2 repeats=$3 states="$ours $others"
	shift 3
	case $kernel in
	patched-*) states=$ours ;;
	esac
	states=${EVERYDAY_STATES:-$states}
	[ -n "$counters" ] || states=${states/ ours-ipc/}
	[ ${#lttng[@]} -gt 0 ] || states=${states/ lttng/}
	rm -rf "$out/$kernel-$how"
	# shellcheck disable=SC2086 # states
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --timeout 1500 --mem 3072 --script tests/bench/everyday_guest.sh \
		--out "$out/$kernel-$how" --file "$KO:/lib/kutrace.ko" --file "$build/guest/bin/everyday" \
		${counters:+--file "$counters:/lib/counters.ko"} \
		--file "$build/bin/static/kutrace_control:/bin/kutrace_control" "${programs[@]}" ${lttng[@]+"${lttng[@]}"} \
		"${compiler[@]}" --file "$out/source.i:/lib/everyday_source.i" "$@" -- "$repeats" $states || {
		tail -n 5 "$out/$kernel-$how/said" >&2 || true
		return 1
	}
	# Time of one unit of each work, and percentage that recording adds.
	awk -v kernel="$kernel" -v how="$how" '
	FNR == NR {
		value[$1, $2] = $3 / $4
		unit[$2] = $5
		if (!($2 in seen)) { seen[$2]; works[++w] = $2 }
		if (!($1 in known)) { known[$1]; states[++s] = $1 }
		next
	}
	{ events[$1] = $2; bytes[$1] = $3; lost[$1] = $4; where[$1] = $5 }
	END {
		printf "everyday: %s, %s\n  %-16s", kernel, how == "insns" ? "instructions, 1 CPU under icount" : \
			"nanoseconds by the clock, 2 CPUs", "" > "/dev/stderr"
		for (i = 1; i <= w; i++)
			printf " %18s", works[i] "/" unit[works[i]] > "/dev/stderr"
		printf " %10s %10s %7s\n", "events", "bytes", "lost" > "/dev/stderr"
		for (j = 1; j <= s; j++) {
			printf "  %-16s", states[j] > "/dev/stderr"
			for (i = 1; i <= w; i++) {
				v = value[states[j], works[i]]
				u = value["untraced", works[i]]
				if (v == "" || !u) {
					print "everyday: no figure for " states[j] " " works[i] > "/dev/stderr"
					exit 1
				}
				printf " %11.0f %+5.0f%%", v, 100 * v / u - 100 > "/dev/stderr"
				print kernel "-" how "-" states[j] "-" works[i], v, \
					(how == "insns" ? "instructions/" : "ns/") unit[works[i]]
			}
			if (states[j] in events) {
				printf " %10s %10d %7d", events[states[j]], bytes[states[j]], lost[states[j]] > "/dev/stderr"
				if (events[states[j]] != "-")
					print kernel "-" how "-" states[j] "-events", events[states[j]], "count"
				print kernel "-" how "-" states[j] "-bytes", bytes[states[j]], "bytes-" where[states[j]]
				print kernel "-" how "-" states[j] "-lost", lost[states[j]], "count"
			}
			printf "\n" > "/dev/stderr"
		}
	}' "$out/$kernel-$how/everyday" "$out/$kernel-$how/kept" 2>"$out/table" >"$out/figures" || { cat "$out/table" >&2; return 1; }
	cat "$out/table"
	figures_put "$json" "" "$kernel-$how-" <"$out/figures"
}

for kernel; do
	lttng=() counters=
	case $kernel in
	patched-*)
		found=$(kernel-patches/build.sh --kver "${kernel#patched-}")
		eval "$found"
		KO=$(find "$KERNEL_DIR/lib/modules" -name kutrace.ko)
		counters=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test_pmu.ko)
		;;
	stock) . "$build/guest/env" ;;
	*)
		tests/guest/payload.sh "$kernel" >"$out/payload.log" 2>&1 || { tail -n 3 "$out/payload.log" >&2; exit 1; }
		. "$build/guest/env-$kernel"
		;;
	esac
	case $kernel in
	patched-*) ;;
	*)
		counters=$(tests/bench/counters.sh "$KDIR" "$KVER" "$KSUITE")
		# LTTng's programs are useless if its modules cannot be built.
		tests/bench/lttng.sh "$KDIR" "$KVER" "$KSUITE" >"$out/lttng" || { echo "everyday: $kernel: without LTTng"; : >"$out/lttng"; }
		while IFS= read -r file; do
			lttng+=(--file "$file")
		done <"$out/lttng"
		;;
	esac
	case ${EVERYDAY_HOW:-insns} in
	insns) once "$kernel" insns 2 --icount ;;
	esac
	case ${EVERYDAY_HOW:-wall} in
	wall) once "$kernel" wall 3 --cpus 2 ;;
	esac
done
