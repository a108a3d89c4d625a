#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the cost of marks and dumps. In a guest with the patched kernel under QEMU's icount (one
# instruction is one nanosecond, so results repeat exactly):
#
#	- a mark off and on, by the device and by the control system call
#	- a dump of 8 MiB to memory from the mapping, by libkutrace without a device, by copying 4 KiB at a
#	  time as the original's library does, and word by word; and the cost of writing alone
#	- a system call, with a result of up to 127 and (NAME-long) a larger one, while no session, one
#	  session, two sessions record, and one with a mask
#	- a million system calls, with and without a snapshot every tenth of a second; a snapshot
#	- the events per second that a stream can hold
#
# On this machine it measures a mark without a module, and a mark off and on with a stub of the
# module. This is the cost of the library alone.
#
# Prints a table and writes $BUILD/bench/control.json. `make bench` runs it. The kernel is found as
# in hooks_patched.sh. Exit status: 0, or 1 if a measurement failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
json=$build/bench/control.json
out=$build/bench/control
mkdir -p "$out"
rm -f "$json" "$out/control"
found=
[ -n "${KUTRACE_PATCHED_DIR:-}" ] || found=$(kernel-patches/build.sh)
eval "$found"
KERNEL_DIR=${KUTRACE_PATCHED_DIR:-$KERNEL_DIR}

cat >"$out/script" <<'END'
#!/bin/sh
set -e
insmod /lib/kutrace.ko mb=8
control_cost mark mark-off >>/out/control
kutrace_control start --wrap >/dev/null
control_cost mark mark-on >>/out/control
control_cost fill 127
kutrace_control off >/dev/null
control_cost dump dump-mapped /tmp/trace >>/out/control
control_cost copy4k dump-4k-copies /tmp/trace >>/out/control
control_cost write write-only /tmp/trace >>/out/control
control_cost word dump-word-by-word /tmp/trace >>/out/control
rm -r /dev/kutrace
control_cost dump dump-without-device /tmp/trace >>/out/control
control_cost mark mark-off-by-call >>/out/control
kutrace_control go >/dev/null
control_cost mark mark-on-by-call >>/out/control
kutrace_control off >/dev/null
END
cat >"$out/script2" <<'END'
#!/bin/sh
set -e
insmod /lib/kutrace.ko mb=8
cost() { getpid_cost $1 | awk '{ print $1, $2, "ns/call" }' >>/out/control; }
cost call-off
kutrace_control start --wrap >/dev/null
cost call-one-session
kutrace_control --session two start --wrap >/dev/null
cost call-two-sessions
kutrace_control session destroy two
kutrace_control mask -softirq
cost call-one-session-masked
kutrace_control mask all
# use counters that cost almost nothing to read: the result is then the cost of the module
insmod /lib/kutrace_test_pmu.ko
kutrace_control off >/dev/null
kutrace_control start --wrap --ipc >/dev/null
cost call-one-session-ipc
kutrace_control off >/dev/null
rmmod kutrace_test_pmu
kutrace_control start --wrap >/dev/null
control_cost work work-recorded >>/out/control
(while [ ! -f /tmp/enough ]; do usleep 100000; kutrace_control snapshot -o /tmp/s.trace; done) >/dev/null &
control_cost work work-snapshots >>/out/control
touch /tmp/enough
wait
control_cost fill 128
control_cost snapshot snapshot /tmp/s.trace >>/out/control
kutrace_control off >/dev/null
# events of the fastest possible loop: 2 calls for each 16 bytes of time stamp and word
kutrace_control start --wrap >/dev/null
kutrace_control stream -o /dev/null 2>/out/stream &
stream=$!
usleep 200000
before=$(cut -d' ' -f1 /proc/uptime)
control_cost work work-streamed >>/out/control
kutrace_control off >/dev/null
after=$(cut -d' ' -f1 /proc/uptime)
wait $stream
echo "$before $after" >>/out/stream
END
tests/guest/boot.sh --kernel "$KERNEL_DIR" --icount --timeout 300 --script "$out/script" \
	--out "$out" --file "$build/guest/bin/control_cost" \
	--file "$build/bin/static/kutrace_control" \
	--file "$(find "$KERNEL_DIR/lib/modules" -name kutrace.ko):/lib/kutrace.ko"
tests/guest/boot.sh --kernel "$KERNEL_DIR" --icount --timeout 500 --script "$out/script2" \
	--file "$(find "$KERNEL_DIR/lib/modules" -name kutrace_test_pmu.ko):/lib/kutrace_test_pmu.ko" \
	--out "$out/2" --file "$build/guest/bin/control_cost" --file "$build/guest/bin/getpid_cost" \
	--file "$build/bin/static/kutrace_control" \
	--file "$(find "$KERNEL_DIR/lib/modules" -name kutrace.ko):/lib/kutrace.ko"
cat "$out/2/control" >>"$out/control"
# 8,186 words in a block, one event each; a lost block makes the figure invalid
awk '/blocks lost/ { blocks = $3; lost = $7 } NF == 2 { s = $2 - $1 }
	END { if (lost || !blocks || s <= 0) { print "control: stream: " lost " blocks lost" >"/dev/stderr"; exit 1 }
	printf "stream-sustained %.1f events/s\n", blocks * 8186 / s }' "$out/2/stream" >>"$out/control"
"$build/guest/bin/control_cost" mark mark-native >>"$out/control"
"$build/guest/bin/control_cost" stub mark-native-stub >>"$out/control"
[ "$(wc -l <"$out/control")" = 27 ] || { echo "control: figures are missing" >&2; exit 1; }

echo "control: patched kernel under icount, 1 CPU, one instruction = 1 ns"
awk '{ rate = $3 == "us/MB" ? sprintf("%10.1f MB/s", 1e6 / $2) : ""
	printf "  %-28s %10.1f %-8s %s\n", $1, $2, $3, rate }' "$out/control"
awk 'BEGIN { print "[" }
	{ if ($3 == "us/MB") { $2 = 1e6 / $2; $3 = "MB/s" }
	printf "%s  {\"name\": \"%s\", \"value\": %.1f, \"unit\": \"%s\"}", (NR > 1 ? ",\n" : ""), $1, $2, $3 }
	END { print "\n]" }' "$out/control" >"$json.tmp"
mv "$json.tmp" "$json"
