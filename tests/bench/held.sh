#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the highest rate of events that a stream can hold. A series of fixed rates of system
# calls on all CPUs is streamed to a file in the guest's memory, with buffers that are filled many
# times over. It ends at the first rate at which events are lost, or that the machine cannot reach.
#
#	tests/bench/held.sh [CPUS]		default: 2
#
# $HELD_SECONDS (5) is the time for each rate. $HELD_BUFFERS ("1 4 1:19") has the MiB of all CPUs
# together and, after a colon, the nice value of the streaming program relative to the programs that
# make events: with 19 it gets almost no time while these programs use all of it. $HELD_KERNEL (stock) is a
# kernel of `make demo`. The guest's CPUs share this machine's processors with other work, and the
# streaming program shares the guest's CPUs with the programs that make events. So a rate is valid
# only for this machine at that time.
#
# Prints a table, and writes the figures to $BUILD/bench/held.json: held-BUFFER, in events/s, the
# highest rate without a loss, as measured; lost-BUFFER-rate and lost-BUFFER, the rate with losses
# and the lost fraction, or 0 without a loss at the highest rate. Exit status: 0; 1 if a measurement
# failed, no rate was held, or a trace without reported losses is incomplete; 77 if the kernel is
# not available.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
out=$build/bench/held
json=$build/bench/held.json
kernel=${HELD_KERNEL:-stock}
cpus=${1:-2}
. tests/bench/hooks.inc
rm -rf "$out"
mkdir -p "$out"
if [ "$kernel" = stock ]; then
	. "$build/guest/env"
else
	tests/guest/payload.sh "$kernel" >"$out/payload.log" 2>&1 || { tail -n 3 "$out/payload.log" >&2; exit 77; }
	. "$build/guest/env-$kernel"
fi

cat >"$out/script.sh" <<'END'
#!/bin/sh
# script.sh SECONDS "BUFFER...": writes lines "BUFFER calls CPUS RATE CALLS NS BYTES BLOCKS-LOST
# EVENTS-LOST" to /out/held, and the trace of the highest held rate of each BUFFER.
seconds=$1
step()		# BUFFER RATE: returns 0 held, 1 lost or not reached, another value if the measurement failed
{
	nice=0
	[ $1 = ${1#*:} ] || nice=${1#*:}
	insmod /lib/kutrace.ko mb=${1%:*} || return 3
	kutrace_control start --wrap >/dev/null || return 3
	kutrace_control stream -o /tmp/trace >/tmp/said 2>&1 &
	stream=$!
	n=0
	until grep -q . /tmp/trace 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 1000 ] || return 3
		usleep 20000
	done
	renice -n $nice -p $stream || return 3
	ratecalls $seconds $2 >/tmp/calls || return 3
	kutrace_control off >/dev/null
	wait $stream || return 3
	kutrace_control status --json >/tmp/status
	rmmod kutrace || return 3
	blocks=$(sed -n 's/.* \([0-9]*\) blocks lost$/\1/p' /tmp/said)
	events=$(sed -n '/^"lost"/s/[^0-9]\{1,\}/ /gp' /tmp/status | awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n + 0 }')
	echo "$1 $(cat /tmp/calls) $(wc -c </tmp/trace) ${blocks:-none-said} $events" | tee -a /out/held
	if [ "$blocks" != 0 ] || [ "$events" != 0 ]; then
		return 1
	fi
	mv /tmp/trace /out/held-$1.trace
	awk -v rate=$2 -v seconds=$seconds '{ exit $4 < 0.9 * $2 * rate * seconds }' /tmp/calls
}
for buffer in $2; do
	for rate in 10000 20000 40000 80000 120000 160000 240000 320000 480000 640000 960000 1280000; do
		step $buffer $rate || { [ $? = 1 ] && break; exit 3; }
	done
done
END
tests/guest/boot.sh --kernel "$KERNEL_DIR" --cpus "$cpus" --mem 1536 --timeout 1200 --script "$out/script.sh" --out "$out/guest" \
	--file "$KO:/lib/kutrace.ko" --file "$build/guest/bin/ratecalls" \
	--file "$build/bin/static/kutrace_control:/bin/kutrace_control" -- "${HELD_SECONDS:-5}" "${HELD_BUFFERS:-1 4 1:19}" \
	>"$out/boot.log" 2>&1 || { tail -n 5 "$out/boot.log" >&2; exit 1; }
for trace in "$out"/guest/held-*.trace; do
	[ -f "$trace" ] || { echo "held: no rate was held" >&2; exit 1; }
	said=$("$build/bin/checktrace" "$trace" 2>&1) && grep -q '^lost: 0 events' <<<"$said" ||
		{ echo "held: $trace: $said" >&2; exit 1; }
done
echo "held: $(basename "$KERNEL_DIR"), $cpus CPUs on $(nproc), ${HELD_SECONDS:-5} s each"
# Blocks have 8,192 words; a lost block had up to 8,190 events.
awk '
{
	s = $6 / 1e9
	events = $7 / 8 / s
	lost = ($8 * 8190 + $9) / s
	if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 }
	if (lost) { at[$1] = events + lost; part[$1] = 100 * lost / (events + lost) }
	else if (events > held[$1]) held[$1] = events
}
END {
	printf "  %6s %16s %22s %8s\n", "buffer", "held, events/s", "first lost at, ev./s", "lost" > "/dev/stderr"
	for (i = 1; i <= n; i++) {
		m = order[i]
		printf "  %6s %16d %22s %8s\n", m, held[m], m in at ? sprintf("%d", at[m]) : "-", \
			m in at ? sprintf("%.1f %%", part[m]) : "0" > "/dev/stderr"
		print "held-" m, held[m], "events/s"
		print "lost-" m "-rate", at[m] + 0, "events/s"
		print "lost-" m, part[m] + 0, "%"
		if (!held[m]) broken = 1
	}
	exit broken
}' "$out/guest/held" 2>"$out/table" >"$out/figures" && status=0 || status=1
cat "$out/table"
figures_put "$json" "" held- lost- <"$out/figures"
exit $status
