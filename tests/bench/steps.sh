#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures how the cost of single system calls is distributed, and checks that no hook takes a long
# step. The cost is in guest instructions, counted under QEMU's icount, on one CPU of a stock
# kernel:
#
#	tests/bench/steps.sh [CALLS]	default: 5,000,000, which is ten million events
#
# It measures untraced calls; calls while recording; and calls with a flight recorder whose pool has
# wrapped, where a CPU that takes a block has to clear one. The last state is also measured with
# system calls by direct hooks (steps-direct), beside another recording (steps-two), and with
# instructions per cycle, by artificial counters of a test module (steps-counted). If one hook
# takes over 1,000 instructions in a call, the timer has interrupted the call. More of these calls
# than timer interrupts mean that a hook had a long step.
#
# Prints a table and puts the figures into $BUILD/bench/steps.json. `make bench` runs it. Exit
# status: 0, or 1 if a measurement failed or there are long steps.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
calls=${1:-5000000}
out=$build/bench/steps
json=$build/bench/steps.json
. tests/bench/hooks.inc
. "$build/guest/env"
mkdir -p "$out"
rm -f "$json"
cat >"$out/script.sh" <<'END'
#!/bin/sh
set -e
step_cost steps-absent $1 >>/out/steps
usual=$(sed -n 's/.* median=\([0-9]*\) .*/\1/p' /out/steps)
# The buffer has room for all events: two words per call.
insmod /lib/kutrace.ko mb=$(($1 * 2 / 131072 + 8))
step_cost steps-on $1 on $usual >>/out/steps
rmmod kutrace
insmod /lib/kutrace.ko mb=4
step_cost steps-wrap $1 wrap $usual >>/out/steps
step_cost steps-two $1 wrap-two $usual >>/out/steps
insmod /lib/counters.ko
step_cost steps-counted $1 wrap-counted $usual >>/out/steps
rmmod kutrace
insmod /lib/kutrace.ko mb=4 syscalls=direct
step_cost steps-direct $1 wrap $usual >>/out/steps
END
counters=$(tests/bench/counters.sh "$KDIR" "$KVER" "$KSUITE")
tests/guest/boot.sh --kernel "$KERNEL_DIR" --icount --timeout 900 --mem 1024 --script "$out/script.sh" --out "$out/guest" \
	--file "$KO:/lib/kutrace.ko" --file "$counters:/lib/counters.ko" --file "$build/guest/bin/step_cost" -- "$calls"
echo "steps: getuid in a guest under icount, $(basename "$KERNEL_DIR"), 1 CPU, number of calls by instructions"
awk '
{
	for (i = 2; i <= NF; i++) {
		split($i, pair, "=")
		value[pair[1]] = pair[2]
		order[i] = pair[1]
	}
	if (NR == 1)
		for (i = 2; i <= NF; i++)
			printf "%s%s", i == 2 ? "  state         " : "", sprintf("%11s", order[i]) (i == NF ? "\n" : "") > "/dev/stderr"
	printf "  %-14s", $1 > "/dev/stderr"
	for (i = 2; i <= NF; i++) {
		printf "%11s", value[order[i]] > "/dev/stderr"
		print $1 "-" order[i], value[order[i]], order[i] ~ /median|longest/ ? "instructions" : "count"
	}
	print "" > "/dev/stderr"
	# The count of interrupts may lack one interrupt of a call.
	if (value["over1000"] > value["ticks"] + 1)
		broken = 1
}
END {
	print "  no hook takes over 1,000 but for timer interrupts: " (broken ? "BROKEN" : "kept") > "/dev/stderr"
	exit broken
}' "$out/guest/steps" 2>"$out/table" >"$out/figures" && kept=0 || kept=1
cat "$out/table"
echo "[]" >"$json"
figures_put "$json" "" steps- <"$out/figures"
exit $kept
