#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 30
#
# Each hit of a tracepoint is an entry of the trace, a return merged into its call, or counted as
# lost, exactly, for each CPU and kind of event. Another module counts the hits. The load is nested
# interrupts that CPUs send each other without a pause, with NMIs inside. The buffer is large enough
# in some runs and too small in another run. Runs on the stock kernel, or KERNEL=stock-6.12 ...,
# with 2 CPUs; without KUTRACE_FAST also 1 and 4; or CONSERVE_CPUS="1 8".
. tests/guest/lib.sh
kernel=${KERNEL:-stock}
guest_begin conserve
top=$OUT
ok "the counting module builds without a warning" sh -c \
	"tests/guest/module_build.sh '$KDIR' '$KVER' '$BUILD' '$KSUITE' tests/guest/module/conserve >'$OUT/built.log' 2>&1 &&
	! grep -E 'warning|error:' '$OUT/built.log'"
arguments=$("$BUILD/tests/conserve" --arguments)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
arguments=$1
one()	# NAME MB WHAT HITS LOST
{
	must insmod /lib/kutrace.ko mb=$2
	must insmod /lib/conserve.ko $arguments
	workload --quiet --repeat 1000000 &
	load=$!
	must kutrace_control go
	must cat /proc/kutrace_conserve >/out/$1.first
	echo $3 >/proc/kutrace_conserve || die "cannot write /proc/kutrace_conserve"
	# Wait for a number of hits or losses, because the guest's speed differs.
	tries=0
	until [ $tries -ge 150 ] || awk -v hits=$4 -v lost=$5 '
		FNR == 1 { sign = NR == 1 ? -1 : 1 }
		$2 == "hits" { h += sign * $4 }
		$2 == "lost" { l += sign * $4 }
		END { exit !(h >= hits && l >= lost) }' /out/$1.first /proc/kutrace_conserve; do
		tries=$((tries + 1))
		usleep 100000
	done
	echo rest >/proc/kutrace_conserve || die "cannot write /proc/kutrace_conserve"
	must cat /proc/kutrace_conserve >/out/$1.last
	must kutrace_control stop /out/$1.trace
	kill $load
	wait $load
	must rmmod kutrace_conserve
	# A child of the workload may have the device open for a moment longer, until it finds that
	# its peers have ended.
	must unload kutrace
}
one hammer 64 hammer 10000 0
one nmis 64 nmis 10000 0
one full 1 nmis 10000 5000
SCRIPT

for cpus in ${CONSERVE_CPUS:-$(effort 2 "1 2 4" "1 2 4")}; do
	OUT=$top/$cpus
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$cpus" --timeout 400 \
		--file "$BUILD/module/$KVER/conserve/kutrace_conserve.ko:/lib/conserve.ko" -- "$arguments" || continue
	for name in hammer nmis full; do
		label="$name, $cpus CPUs"
		ok "$label: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$name.trace"
		"$BUILD/tests/conserve" "$OUT/$name.trace" "$OUT/$name.first" "$OUT/$name.last" >"$OUT/$name.sums" 2>"$OUT/$name.err"
		is "$label: hits = entries + merged + lost, for each CPU and kind" \
			"$? $(grep differs "$OUT/$name.sums") $(cat "$OUT/$name.err")" "0  "
		between "$label: compared pairs of kind and CPU" "$(grep -vc '^total' "$OUT/$name.sums")" $((4 * cpus)) 1000
		between "$label: hits" "$(awk '$1 == "total" { print $2 }' "$OUT/$name.sums")" 3000 1000000000
	done
	between "full, $cpus CPUs: lost" "$(awk '$1 == "total" { print $5 }' "$OUT/full.sums")" 1 1000000000
	is "hammer, $cpus CPUs: lost" "$(awk '$1 == "total" { print $5 }' "$OUT/hammer.sums")" 0
done

# Check the check: it must find one hit that is not in the trace.
OUT=$top/$cpus
awk '$2 == "hits" && $3 == "softirq" && !done++ { $4++; $5++ } { print }' "$OUT/hammer.last" >"$OUT/wrong.last"
"$BUILD/tests/conserve" "$OUT/hammer.trace" "$OUT/hammer.first" "$OUT/wrong.last" >"$OUT/wrong.sums"
is "one hit more is found" "$? $(grep -c differs "$OUT/wrong.sums")" "1 1"
tap_end
