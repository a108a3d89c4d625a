#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What marks and dumps cost. In a guest with the patched kernel under QEMU's icount
# (one instruction is one nanosecond, so that it is the same every time): a mark off
# and on, by the device and by the control system call; a dump of 8 MiB to memory
# from the mapping, by libkutrace without a device, by copying 4 KiB at a time as the
# original's library does, and word by word, and what writing as much takes by itself. On this machine: a mark while there is
# nothing to record with.
#
# Prints a table and writes $BUILD/bench/control.json. `make bench` calls it. The
# kernel is found as by hooks_patched.sh. Exit status: 0, or 1 when a figure could
# not be had.
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
tests/guest/boot.sh --kernel "$KERNEL_DIR" --icount --timeout 300 --script "$out/script" \
	--out "$out" --file "$build/guest/bin/control_cost" \
	--file "$build/bin/static/kutrace_control" \
	--file "$(find "$KERNEL_DIR/lib/modules" -name kutrace.ko):/lib/kutrace.ko"
"$build/guest/bin/control_cost" mark mark-native >>"$out/control"
[ "$(wc -l <"$out/control")" = 10 ] || { echo "control: figures are missing" >&2; exit 1; }

echo "control: patched kernel under icount, 1 CPU, one instruction = 1 ns"
awk '{ rate = $3 == "us/MB" ? sprintf("%10.1f MB/s", 1e6 / $2) : ""
	printf "  %-22s %10.1f %-8s %s\n", $1, $2, $3, rate }' "$out/control"
awk 'BEGIN { print "[" }
	{ if ($3 == "us/MB") { $2 = 1e6 / $2; $3 = "MB/s" }
	printf "%s  {\"name\": \"%s\", \"value\": %.1f, \"unit\": \"%s\"}", (NR > 1 ? ",\n" : ""), $1, $2, $3 }
	END { print "\n]" }' "$out/control" >"$json.tmp"
mv "$json.tmp" "$json"
