#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures how many events are lost when all CPUs wake each other at the same time and everything is
# written to a file as it comes. It compares `kutrace_control stream`, trace-cmd record and bpftrace
# with a line for each event (both from Debian) in the same guest, each with buffers of half a MiB
# for each CPU. The storm fills these buffers many times over, so an event that is not lost was read
# in time.
#
#	tests/bench/storm.sh [CPUS...]		default: 8 and 64
#
# A guest's CPUs share this machine's processors, so they do little in a second, and less if other
# programs run. Compare only the lost fractions, and how many more trips there are without a
# recorder.
# $STORM_SECONDS (30) is the time for each; $STORM_RATES ("0 50") has the trips a second of each
# CPU's pair of threads, each begun by a timer; 0: as many as possible. $STORM_KERNEL (stock) is a
# kernel of `make demo`.
#
# Prints a table, and writes the figures to $BUILD/bench/storm.json: CPUS-RATE-STATE-events, -lost
# (per second), -trips (per second). Exit status: 0; 1 if a measurement failed, a trace of kutrace
# is not sound, or kutrace has lost events; 77 if a kernel or a program is not available.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
out=$build/bench/storm
json=$build/bench/storm.json
seconds=${STORM_SECONDS:-30}
rates=${STORM_RATES:-0 50}
kernel=${STORM_KERNEL:-stock}
. tests/bench/hooks.inc
mkdir -p "$out"
[ $# -gt 0 ] || set -- 8 64

programs=()
states="untraced ours"
# program STATE NAME PACKAGE PATH: adds a program and its state, or reports that it is missing
program()
{
	local file found
	found=$(tests/guest/programs.sh "$2" "$3" "$4") || { echo "storm: without $2"; return 0; }
	while IFS= read -r file; do
		programs+=(--file "$file")
	done <<<"$found"
	states="$states $1"
}
program trace-cmd trace-cmd trace-cmd usr/bin/trace-cmd
program bpftrace bpftrace bpftrace usr/bin/bpftrace
[ "$states" != "untraced ours" ] || { echo "storm: there is neither trace-cmd nor bpftrace" >&2; exit 77; }
if [ "$kernel" = stock ]; then
	. "$build/guest/env"
else
	tests/guest/payload.sh "$kernel" >"$out/payload.log" 2>&1 || { tail -n 3 "$out/payload.log" >&2; exit 77; }
	. "$build/guest/env-$kernel"
fi

# Checks that kutrace's trace is sound, and prints its numbers in the form that the guest prints for
# the other recorders.
kept_by_ours()	# RATE TRACE
{
	local said
	said=$("$build/bin/checktrace" "$2" 2>&1) || { echo "storm: $2: $said" >&2; return 1; }
	# A block that was overwritten before it was read had up to 8,190 events.
	awk -v rate="$1" -v bytes="$(stat -c %s "$2")" -v blocks="$(sed -n 's/.* \([0-9]*\) blocks lost$/\1/p' "${2%.trace}.said")" '
	/^CPU / { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^events/) n += $i }
	/^lost:/ { lost = $2 }
	END { print "ours", rate, n, bytes, lost + blocks * 8190 }' <<<"$said"
}

status=0
for cpus; do
	rm -rf "$out/$cpus"
	# shellcheck disable=SC2086 # states
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --cpus "$cpus" --mem 6144 --timeout 2400 --script tests/bench/storm_guest.sh \
		--out "$out/$cpus" --file "$KO:/lib/kutrace.ko" --file "$build/guest/bin/wakeup_storm" \
		--file "$build/bin/static/kutrace_control:/bin/kutrace_control" "${programs[@]}" -- "$seconds" "$rates" $states || {
		tail -n 5 "$out/$cpus/said" >&2 || true
		exit 1
	}
	for rate in $rates; do
		kept_by_ours "$rate" "$out/$cpus/ours-$rate.trace" >>"$out/$cpus/kept"
	done
	echo "storm: $KERNEL_DIR, $cpus CPUs on $(nproc), $seconds s each"
	awk '
	FNR == NR { at = $1 " " $4; trips[at] = $5 * 1e9 / $6; s[at] = $6 / 1e9; order[++n] = at; cpus = $3; next }
	{ at = $1 " " $2; events[at] = $3; bytes[at] = $4; lost[at] = $5 }
	END {
		printf "  %-10s %6s %14s %14s %14s %8s\n", "", "rate", "trips/s", "events/s", "lost/s", "lost" > "/dev/stderr"
		for (i = 1; i <= n; i++) {
			at = order[i]
			split(at, part, " ")
			name = cpus "-" part[2] "-" part[1]
			printf "  %-10s %6s %14.0f", part[1], part[2] ? part[2] : "all", trips[at] > "/dev/stderr"
			print name "-trips", trips[at], "trips/s"
			if (at in events) {
				all = events[at] + lost[at]
				printf " %14.0f %14.0f %7.2f%%", events[at] / s[at], lost[at] / s[at], \
					all ? 100 * lost[at] / all : 0 > "/dev/stderr"
				print name "-events", events[at] / s[at], "events/s"
				print name "-lost", lost[at] / s[at], "events/s"
			}
			printf "\n" > "/dev/stderr"
		}
	}' "$out/$cpus/storm" "$out/$cpus/kept" 2>"$out/table" >"$out/figures"
	cat "$out/table"
	figures_put "$json" "" "$cpus-" <"$out/figures"
	if ! awk '$1 == "ours" { n++; lost += $5 } END { exit !n || lost > 0 }' "$out/$cpus/kept"; then
		echo "storm: with $cpus CPUs ours has lost events" >&2
		status=1
	fi
done
exit $status
