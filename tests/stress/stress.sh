#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the rounds of `make stress`, each in a new guest. The seed determines kernel, number of CPUs,
# workload and the actions on the module. The seed is printed, and repeats the same rounds. In every
# round, the kernel log must be clean, the traces sound, and the workload successful. The hits must
# add up (conserve.c), or on a patched kernel, the trace must agree with the kernel's counters. A
# round that did not run counts as a round with findings.
#
#	tests/stress/stress.sh [OPTION]...
#
#	--minutes N	run for N minutes (STRESS_MINUTES, default 10), and finish the last round
#	--rounds N	run N rounds, without a limit of time (STRESS_ROUNDS)
#	--seed N	the seed (STRESS_SEED; default: from the clock)
#	--from N	number of the first round (STRESS_FROM, default 1); the seed and --rounds 1 repeat one round
#	--tenths N	approximate time of the actions on a recording, in tenths of a second (STRESS_TENTHS, 150)
#	--kernels LIST	kernels to choose from (STRESS_KERNELS): names of kernel.sh; patched-6.1, -6.12, -7.2; debug-6.1;
#			kcsan-6.1, which finds data races of the module. Missing patched kernels are built
#	--cpus LIST	numbers of CPUs to choose from (STRESS_CPUS, "1 2 4 8 64")
#	--classes LIST	workloads to choose from (STRESS_CLASSES): cpu fork futex pipe fault signal timer network interrupt
#			hrtimer
#	--limit N	time limit of a guest in seconds; --tenths and each CPU add to it (STRESS_LIMIT, 600)
#	--budget N	seconds since boot after which a guest begins no further action, so that a round ends in time on a
#			busy machine. It reports the number of actions (STRESS_BUDGET, half of --limit)
#	--plan		only print the plan of the rounds
#
# Each round adds a line of JSON to $BUILD/stress/rounds.jsonl, and prints a line of text. The files
# of a round with findings are in $BUILD/stress/SEED-ROUND. Needs the results of `make guest-payload`,
# and the packages of "tests/deps.sh guest". This script may run several times at the same time in one
# checkout.
#
# Exit status: 0 no findings; 1 findings, or a round could not run; 2 usage; 77 with a message if
# there is no stress-ng.
set -uo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C
BUILD=${BUILD:-build}

help()
{
	sed -n '/^#	tests.stress/,/^#	--plan/s/^#\t\{0,1\}//p' "$0"
}

usage()
{
	echo "stress: $*" >&2
	help >&2
	exit 2
}

limit=${STRESS_LIMIT:-600} budget=${STRESS_BUDGET-} minutes=${STRESS_MINUTES:-10} rounds=${STRESS_ROUNDS-} seed=${STRESS_SEED-} from=${STRESS_FROM:-1}
tenths=${STRESS_TENTHS:-150} cpus=${STRESS_CPUS:-1 2 4 8 64} plan_only=
kernels=${STRESS_KERNELS:-stock-6.1 stock-6.12 stock-7.2 patched-6.1 debug-6.1}
classes=${STRESS_CLASSES:-cpu fork futex pipe fault signal timer network interrupt hrtimer}
while [ $# -gt 0 ]; do
	case $1 in
	--plan) plan_only=1; shift; continue ;;
	--help | -h) help; exit ;;
	esac
	[ $# -ge 2 ] || usage "$1 needs a value, or is not an option"
	case $1 in
	--minutes) minutes=$2 ;;
	--rounds) rounds=$2 ;;
	--seed) seed=$2 ;;
	--from) from=$2 ;;
	--tenths) tenths=$2 ;;
	--kernels) kernels=$2 ;;
	--cpus) cpus=$2 ;;
	--classes) classes=$2 ;;
	--limit) limit=$2 ;;
	--budget) budget=$2 ;;
	*) usage "unknown option $1" ;;
	esac
	shift 2
done
for number in "$minutes" "${rounds:-1}" "${seed:-1}" "$from" "$tenths" "$limit" "${budget:-1}"; do
	case $number in
	'' | *[!0-9]*) usage "'$number' is no number" ;;
	esac
done
seed=${seed:-$(($(date +%s) % 1000000))}
budget=${budget:-$((limit / 2))}

plan()	# ROUND
{
	awk -v seed="$seed" -v round="$1" -v tenths="$tenths" -v kernels="$kernels" -v cpus="$cpus" \
		-v classes="$classes" -f tests/stress/plan.awk /dev/null
}

if [ -n "$plan_only" ]; then
	for ((round = from; round < from + ${rounds:-1}; round++)); do
		echo "# seed $seed, round $round"
		plan "$round"
	done
	exit 0
fi

top=$BUILD/stress
mkdir -p "$top"
qemu=$(tests/guest/qemu.sh) || exit 1
eval "$qemu"
status=0
stressng=$(tests/guest/programs.sh stressng stress-ng usr/bin/stress-ng) || exit
fail_ko='' conserve_ko='' probe_ko='' test_ko=''

# get_kernel NAME: sets KERNEL_DIR, KO and the paths of the test modules. Looks up or builds each kernel
# only once per run, with the output in $top/NAME.log.
declare -A had
get_kernel()
{
	if [ -z "${had[$1]-}" ]; then
		find_kernel "$1" || return
		had[$1]=$(declare -p KERNEL_DIR KO fail_ko conserve_ko probe_ko test_ko | sed 's/^declare --/declare -g/')
	fi
	eval "${had[$1]}"
}

find_kernel()
{
	local found folder module config=stripped
	local log=$top/$1.log

	fail_ko='' conserve_ko='' probe_ko='' test_ko=''
	case $1 in
	patched-* | debug-* | kcsan-*)
		[ "${1%%-*}" = patched ] || config=${1%%-*}
		found=$(kernel-patches/build.sh --kver "${1#*-}" --config $config 2>"$log") || return
		eval "$found"
		test_ko=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test.ko)
		probe_ko=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test_probe.ko)
		;;
	*)
		tests/guest/payload.sh "$1" >"$log" 2>&1 || return
		. "$BUILD/guest/env-$1"
		for module in conserve fail probe; do
			folder=tests/guest/module/$module
			if [ $module = probe ]; then
				folder=$top/module/probe
				mkdir -p "$folder"
				cp kernel-patches/files/kernel/kutrace/kutrace_test_probe.c "$folder"
				echo 'obj-m := kutrace_test_probe.o' >"$folder/Kbuild"
			fi
			tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" "$folder" >>"$log" 2>&1 || return
		done
		conserve_ko=$BUILD/module/$KVER/conserve/kutrace_conserve.ko
		fail_ko=$BUILD/module/$KVER/fail/kutrace_fail.ko
		probe_ko=$BUILD/module/$KVER/probe/kutrace_test_probe.ko
		;;
	esac
}

# Sends NMIs to the guest, at times that do not depend on the guest's clock, until the socket no longer
# exists. Begins when the guest's script has started, because firmware and a booting kernel cannot
# handle NMIs.
inject()	# SOCKET PAUSE_MS CONSOLE
{
	until grep -q '^guest: script starts' "$3" 2>/dev/null; do sleep 1; done
	while [ -S "$1" ]; do
		tests/guest/qmp.pl "$1" inject-nmi >/dev/null 2>&1 || return 0
		sleep "$(($2 / 1000)).$(printf %03d $(($2 % 1000)))"
	done
}

# Prints the number of the mark in the trace that belongs to a reading.
reading_mark()	# WHEN READINGS
{
	awk -v when="$1" '$1 == when && $3 == "mark" { print $4; exit }' "$2"
}

# Prints the lines with different numbers of hits. With direct hooks, omits system calls: they do not
# hit the tracepoints, and so their numbers differ at the beginning of a recording.
hits_differ()	# FILE
{
	if grep -q differs "$1"; then
		awk -v direct="$PARAMETERS" '/differs/ && !(direct && $2 == "syscall")' "$1"
	else
		tail -n 1 "$1"
	fi
}

# Prints a line for each problem in the files from the guest.
judge()	# DIR
{
	local trace events execs

	cat "$1/findings" 2>/dev/null || echo "the guest has left no file of findings"
	grep -qx 'status 0' "$1/workload" 2>/dev/null ||
		echo "the workload failed: $(grep -vE '^$' "$1/workload" 2>/dev/null | tail -n 2 | tr '\n' ' ')"
	for trace in "$1"/*.trace; do
		[ -f "$trace" ] || continue
		"$BUILD/bin/checktrace" "$trace" >"$trace.check" 2>&1 ||
			echo "${trace##*/}: $(grep -vE '^ *$' "$trace.check" | tail -n 1): $(grep -E '^checktrace:' "$trace.check" | head -n 2 | tr '\n' ' ')"
	done
	ls "$1"/main.trace "$1"/again.trace >/dev/null 2>&1 || echo "main.trace or again.trace is missing"
	if [ "$KIND" = stock ]; then
		"$BUILD/tests/conserve" "$1/conserve.trace" "$1/conserve.first" "$1/conserve.last" >"$1/conserve" 2>&1 ||
			hits_differ "$1/conserve" | sed 's/^/hits do not add up: /'
	elif ! grep -q '^lost: 0 events' "$1/exact.trace.check"; then
		echo "the kernel's counters cannot be compared: $(grep '^lost:' "$1/exact.trace.check")" >"$1/exact"
	else
		"$BUILD/bin/rawtoevent" "$1/exact.trace" 2>/dev/null | sort -n >"$1/exact.events"
		exact_table "$1/exact.events" "$1/exact.readings" >"$1/exact"
		# If get_user_pages() finds that a page is missing, the kernel makes it present and
		# counts a page fault, but there is no exception. This happens once or twice for the
		# arguments of each executed program (measured with 11 programs), and for a futex
		# that processes share (13 of 1,666 page faults, by a kprobe).
		execs=$(awk -v first="$(reading_mark first "$1/exact.readings")" -v last="$(reading_mark last "$1/exact.readings")" '
			$3 == 529 && $7 == first { on = 1 }
			$3 == 529 && $7 == last { on = 0 }
			on && / \/execve/ { n++ }
			END { print n + 0 }' "$1/exact.events")
		awk -v class="$CLASS" -v execs="$execs" '
			$1 == "pgfault" && class == "futex" && $3 > $5 && $3 <= $5 * 1.05 { $5 = $3 }
			$1 == "pgfault" { $5 += 2 * execs }
			$3 < $4 || $3 > $5 { print "differs from the count of the kernel: " $0 }
			$3 > 0 { some++ } END { if (some < 5) print "fewer than five counters of the kernel grew" }' "$1/exact"
		rm -f "$1/exact.events"
	fi
}

# Prints the number of events in all traces, from the output of checktrace.
events_of()	# DIR
{
	cat "$1"/*.check 2>/dev/null | awk '/^CPU / { for (i = 2; i <= NF; i++) if ($i ~ /^events/) n += $(i - 1) } END { print n + 0 }'
}

one_round()	# ROUND
{
	local dir=$top/$seed-$1 begin findings file qmp options=() status=0 events

	begin=$(date +%s)
	rm -rf "$dir"
	mkdir -p "$dir/in"
	plan "$1" >"$dir/in/all"
	grep -v '^action ' "$dir/in/all" >"$dir/in/plan"
	sed -n 's/^action //p' "$dir/in/all" >"$dir/in/plan.actions"
	. "$dir/in/plan"
	if get_kernel "$KERNEL"; then
		printf "CONSERVE_ARGUMENTS='%s'\nBUDGET=%d\n" "$("$BUILD/tests/conserve" --arguments)" "$budget" >>"$dir/in/plan"
		for file in $stressng "$dir/in/plan:/plan" "$dir/in/plan.actions:/plan.actions" "$KO:/lib/kutrace.ko" \
			tests/stress/races.inc:/lib/races.inc \
			"$BUILD/bin/static/kutrace_control" "$BUILD/guest/bin/insert" ${fail_ko:+"$fail_ko:/lib/fail.ko"} \
			${conserve_ko:+"$conserve_ko:/lib/conserve.ko"} "$probe_ko:/lib/probe.ko" \
			${test_ko:+"$test_ko:/lib/kutrace_test.ko"}; do
			options+=(--file "$file")
		done
		qmp=$(mktemp -u /tmp/stress.XXXXXX)
		if [ "$NMIS" = 1 ]; then
			inject "$qmp" "$NMI_PAUSE" "$dir/console.log" &
		fi
		tests/guest/boot.sh --kernel "$KERNEL_DIR" --script tests/stress/guest.sh --out "$dir" --cpus "$CPUS" \
			--mem $((1200 + CPUS * 24)) --timeout $((limit + tenths + CPUS * 15)) --qmp "$qmp" \
			"${options[@]}" >"$dir/boot.log" 2>&1 || status=$?
		rm -f "$qmp"
		[ "$NMIS" != 1 ] || { kill $! 2>/dev/null; wait $! 2>/dev/null; }
		if [ $status = 0 ]; then
			judge "$dir" >"$dir/found"
		else
			{ echo "boot.sh: status $status: $(grep -v '^$' "$dir/boot.log" | head -n 2 | tr '\n' ' ')"
				cat "$dir/findings" 2>/dev/null; } >"$dir/found"
		fi
	else
		echo "cannot get or build $KERNEL: $(tail -n 1 "$top/$KERNEL.log")" >"$dir/found"
	fi
	findings=$(wc -l <"$dir/found")
	events=$(events_of "$dir")
	record "$1" "$dir" "$findings" "${events:-0}" $(($(date +%s) - begin))
	if [ "$findings" = 0 ]; then
		rm -rf "$dir"
	else
		rm -rf "$dir/in/all"
		sed "s/^/  | /" "$dir/found" >&2
	fi
	[ "$findings" = 0 ]
}

# Adds a line of JSON to rounds.jsonl and prints a line of text.
record()	# ROUND DIR FINDINGS EVENTS SECONDS
{
	local hits lost acted planned

	acted=$(cat "$2/actions" 2>/dev/null || echo 0)
	planned=$(wc -l <"$2/in/plan.actions")
	read -r hits lost <<<"$(awk '$1 == "total" { print $2, $5 }' "$2/conserve" 2>/dev/null)"
	perl -e 'my @found = <STDIN>; chomp @found; s/([\\"])/\\$1/g, s/[^ -~]/?/g for @found;
		my ($seed, $round, $kernel, $cpus, $class, $parameters, $threads, $seconds, $events, $hits, $lost, $done, $plan) = @ARGV;
		printf qq({"seed":%d,"round":%d,"kernel":"%s","cpus":%d,"workload":"%s","parameters":"%s","threads":"%s","seconds":%d,) .
			qq("events":%d,"hits":%d,"lost":%d,"actions":%d,"planned":%d,"findings":[%s]}\n), $seed, $round, $kernel, $cpus, $class,
			$parameters, $threads, $seconds, $events, $hits, $lost, $done, $plan, join(",", map { qq("$_") } @found);' \
		"$seed" "$1" "$KERNEL" "$CPUS" "$CLASS" "$PARAMETERS" "$QEMU_THREADS" "$5" "$4" "${hits:-0}" "${lost:-0}" \
		"$acted" "$planned" <"$2/found" >"$2/in/line"
	flock "$top/rounds.jsonl" cat "$2/in/line" >>"$top/rounds.jsonl"
	printf 'round %d: %s, %d CPUs, %s, %d s, %d events, %d of %d actions, %d findings%s\n' "$1" "$KERNEL" "$CPUS" "$CLASS" \
		"$5" "$4" "$acted" "$planned" "$3" "${PARAMETERS:+ ($PARAMETERS)}"
}

. tests/guest/exact_checks.sh
begin=$SECONDS
done_rounds=0 bad=0
echo "seed $seed (QEMU $QEMU_VERSION, CPUs $QEMU_THREADS)"
for ((round = from; ; round++)); do
	if [ -n "$rounds" ]; then
		[ $done_rounds -lt "$rounds" ] || break
	else
		[ $((SECONDS - begin)) -lt $((minutes * 60)) ] || break
	fi
	one_round $round || bad=$((bad + 1))
	done_rounds=$((done_rounds + 1))
done
echo "$done_rounds rounds in $(((SECONDS - begin + 30) / 60)) minutes, $bad with findings: tests/stress/stress.sh" \
	"--seed $seed --from N --rounds 1 repeats one"
[ $done_rounds -gt 0 ] && [ $bad = 0 ]
