#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 10800
# takes: 75
#
# kutrace_crash finds each mark up to a panic in the guest's memory dump. The guest panics while
# each of its CPUs makes numbered marks. The panic comes from a task, a softirq, a hard interrupt,
# an NMI at any point, or an NMI a few instructions after a CPU begins to take a new block. The
# guest has 1, 2 or 4 CPUs. The buffer has wrapped or not, or has wrapped while another session
# records.
#
# The witness is the memory of the marking program in the dump, which has the number of the last
# mark (crashmark, crashmark_progress.pl). The last complete mark must be in the trace; a mark that
# had only begun may be in it. The dump is an ELF core. For some panics there is also a
# kdump-compressed dump, which must give the same trace. From a damaged dump, the undamaged rest
# must be recovered.
#
# There are 50 panics with KUTRACE_FULL, 4 with KUTRACE_FAST, otherwise 15. Arguments such as
# 'nmi 2 wrapped kdump' select panics. Runs on the stock kernel, or $KERNEL. arm64 has no NMIs,
# because QEMU cannot send them. The test prints its seed: KUTRACE_SEED=N repeats the choice of
# panics, but not their exact moments.
. tests/guest/lib.sh
guest_begin crash
top=$OUT
seed=${KUTRACE_SEED:-$((RANDOM * 32768 + RANDOM))}
diag "KUTRACE_SEED=$seed"
work=$(mktemp -d)	# short, because a socket's path has at most 107 bytes
trap 'kill $guest 2>/dev/null; rm -rf "$work"; tap_cleanup' EXIT
guest=

ok "the test's kernel module is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/crash

# MODE KEY CONTEXT DELAY: makes marks, then panics, or prints the line after which the host causes
# the panic.
cat >"$work/script" <<'SCRIPT'
#!/bin/sh
case $1 in
wrapped | beside) mb=1 burst=300 options=--wrap ;;
whole) mb=32 burst=20 options= ;;
esac
must insmod /lib/kutrace.ko mb=$mb
must kutrace_control start $options
if [ $1 = beside ]; then
	must kutrace_control session create gone --size 1
	must kutrace_control --session gone start
	must kutrace_control session create other --size 2
	must kutrace_control --session other start --wrap
	must kutrace_control session destroy gone
fi
crashmark $2 $burst 2000 >/tmp/marks &
until grep -q marks /tmp/marks; do usleep 50000; done	# each CPU has made a mark
until [ $1 = whole ] || kutrace_control status --json | grep -q '"wrapped": *true'; do usleep 50000; done
cpus=$(grep -c ^processor /proc/cpuinfo)
# wait until each CPU has taken another block
until [ "$(kutrace_control status --json | sed -n 's/.*"used_blocks": *\([0-9]*\).*/\1/p')" -gt $((2 * cpus)) ]; do
	usleep 50000
done
usleep $4
grep ' ku_block_take' /proc/kallsyms | sed 's/^/crash: /'
echo "crash: now"
case $3 in
task) echo c >/proc/sysrq-trigger ;;
softirq | irq) insmod /lib/crash_test.ko how=$3 ;;
esac
sleep 1000
SCRIPT

# chance LIMIT: sets $number to the next random number below the limit.
chance()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	number=$((seed / 65536 % $1))
}

# Waits until the guest's script has printed "crash: " and the given text. Sets $line to that line
# without the prefix.
guest_says()
{
	local end=$((SECONDS + 300))

	until line=$(grep -a "^crash: .*$1" "$OUT/console.log" 2>/dev/null); do
		[ $SECONDS -lt $end ] && kill -0 $guest 2>/dev/null || return 1
		sleep 0.1
	done
	line=${line%$'\r'}
	line=${line#crash: }
}

# Causes the panic from outside the guest.
strike()	# CONTEXT
{
	guest_says now || return 1
	case $1 in
	nmi)
		chance 500
		sleep "0.$(printf %03d "$number")"
		tests/guest/qmp.pl "$work/qmp" inject-nmi ;;
	switch)
		guest_says ku_block_take || return 1
		# ku_block_take() has about 120 instructions, or more while it clears a block.
		chance 160
		diag "$number instructions after the beginning of a switch"
		tests/guest/nmi_at.pl "$work/qmp" "${line%% *}" "$number" ;;
	esac
}

# marks EVENTS CPU: prints "FIRST LAST COUNT" of that CPU's marks, or an error if they are out of
# order.
marks()
{
	event_awk -v cpu="$2" '!/^#/ && $3 == EV_MARKD && int($7 / 16777216) == cpu {
		n = $7 % 16777216
		if (count && n != last + 1) { print "mark " n " behind " last; bad = 1; exit }
		if ($4 != cpu) { print "mark " n " of CPU " cpu " on CPU " $4; bad = 1; exit }
		if (!count++) first = n
		last = n
	}
	END { if (!bad) print first + 0, last + 0, count + 0 }' "$1"
}

# one_number REPORT KEY: prints a number of a report by kutrace_crash --json.
one_number()
{
	sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1"
}

# panic_one CONTEXT CPUS MODE [kdump]: makes one panic and checks its dump.
panic_one()
{
	local what="$1, $2 CPUs, $3" context=$1 cpus=$2 mode=$3 kdump=${4-} key delay cpu begun made got status

	OUT=$top/panic
	rm -rf "$OUT"
	mkdir -p "$OUT"
	key=$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
	chance 400000
	delay=$number
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$work/script" --out "$OUT" --mem 256 --timeout 600 \
		--cpus "$cpus" --qmp "$work/qmp" --append "unknown_nmi_panic" \
		--dump "elf:$work/elf" ${kdump:+--dump} ${kdump:+"kdump-zlib:$work/kdump"} \
		--file "$KO:/lib/kutrace.ko" --file "$GUEST_BUILD/bin/static/kutrace_control" \
		--file "$GUEST_BIN/crashmark" --file "$BUILD/module/$KVER/crash/crash_test.ko:/lib/crash_test.ko" \
		-- "$mode" "$key" "$context" "$delay" >"$OUT/boot.log" 2>&1 &
	guest=$!
	case $context in
	nmi | switch) strike "$context" >"$OUT/strike.log" 2>&1 || cat "$OUT/strike.log" >&2 ;;
	esac
	status=0
	wait $guest || status=$?
	guest=
	if [ $status != 0 ]; then
		fail "$what: the guest panics and is dumped" "$(grep -h . "$OUT/boot.log" "$OUT/strike.log" 2>/dev/null)"
		return
	fi
	case $context in
	task) got='sysrq triggered crash' ;;
	softirq) got='in a softirq: 256' ;;
	irq) got='in a hard interrupt: 1' ;;
	*) got='NMI' ;;
	esac
	like "$what: the panic is the expected one" "$(grep -a 'Kernel panic' "$OUT/console.log")" "$got"
	status=0
	"$BUILD/bin/kutrace_crash" --session main --json -o "$OUT/crash.trace" "$work/elf" >"$OUT/report" 2>"$OUT/crash.err" ||
		status=$?
	is "$what: kutrace_crash" "$status $(grep -v ' blocks of ' "$OUT/crash.err")" "0 "
	ok "$what: the trace is sound" "$BUILD/bin/checktrace" "$OUT/crash.trace"
	is "$what: nothing is damaged" "$(sed 's/.*"damage": \({[^}]*}\).*/\1/; s/: 0//g; s/: false//g' "$OUT/report")" \
		'{"table_entries", "unreadable_blocks", "wrong_headers", "cut_blocks", "names_lost"}'
	between "$what: incomplete entries" "$(one_number "$OUT/report" incomplete_entries)" 0 "$cpus"
	is "$what: the report shows whether the buffer wrapped" "$(grep -c '"wrapped": true' "$OUT/report")" \
		"$([ "$mode" = whole ] && echo 0 || echo 1)"
	"$BUILD/bin/rawtoevent" "$OUT/crash.trace" 2>/dev/null | grep ' mark_d ' >"$OUT/events"
	tests/guest/crashmark_progress.pl "$work/elf" "$key" "$cpus" >"$OUT/witness" || fail "$what: the witness is in the dump"
	while read -r cpu begun made; do
		got=$(marks "$OUT/events" "$cpu")
		like "$what: CPU $cpu: no mark is missing" "$got" '^[0-9]+ [0-9]+ [1-9][0-9]*$'
		set -- $got
		between "$what: CPU $cpu: the last mark" "$2" "$made" "$begun"
		[ "$mode" != whole ] || is "$what: CPU $cpu: the first mark" "$1" 1
	done <"$OUT/witness"
	[ "$mode" != beside ] || sessions_of "$what"
	[ -z "$kdump" ] || ok "$what: a kdump-compressed dump gives the same trace" \
		same_of "$work/kdump"
}

# Checks that the other session has the same marks, and that a destroyed session is not listed.
sessions_of()	# WHAT
{
	local cpu begun made

	is "$1: the list of sessions" "$("$BUILD/bin/kutrace_crash" --list "$work/elf" |
		awk 'NR > 1 { print $1, $2 }' | sort | tr '\n' ' ')" "main recording other recording "
	ok "$1: the other session is written" "$BUILD/bin/kutrace_crash" --session other -o "$OUT/other.trace" "$work/elf"
	ok "$1: the other session's trace is sound" "$BUILD/bin/checktrace" "$OUT/other.trace"
	"$BUILD/bin/rawtoevent" "$OUT/other.trace" 2>/dev/null | grep ' mark_d ' >"$OUT/events"
	while read -r cpu begun made; do
		set -- "$1" $(marks "$OUT/events" "$cpu")
		between "$1: CPU $cpu: the other session's last mark" "$3" "$made" "$begun"
	done <"$OUT/witness"
}

same_of()
{
	"$BUILD/bin/kutrace_crash" --session main -o "$OUT/other.trace" "$1" && cmp "$OUT/crash.trace" "$OUT/other.trace"
}

contexts=(task softirq irq)
[ -n "$KARCH" ] || contexts+=(nmi switch)
cpus=(1 2 4)
modes=(wrapped whole beside)
if [ $# != 0 ]; then
	variants=("$@")
elif [ -n "$KUTRACE_FAST" ]; then
	variants=('nmi 2 wrapped kdump' 'switch 1 whole' 'irq 4 beside' 'task 2 whole')
	[ -z "$KARCH" ] || variants=('irq 2 wrapped kdump' 'softirq 1 whole' 'irq 4 beside' 'task 2 whole')
else
	n=${#contexts[@]}
	for ((i = 0; i < $(effort 4 15 50); i++)); do
		# With as many contexts as modes, shift the modes in each round, so that each
		# context gets each mode.
		mode=${modes[(i / 15 + i + (n == 3 ? i / n : 0)) % 3]}
		variants+=("${contexts[i % n]} ${cpus[i / n % 3]} $mode$([ $((i % 7)) != 0 ] || echo ' kdump')")
	done
fi
for variant in "${variants[@]}"; do
	# shellcheck disable=SC2086 # words
	panic_one $variant
done
. tests/guest/crash_damage.inc
tap_end
