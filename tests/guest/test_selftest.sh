#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 100
#
# kutrace_control selftest passes on a stock kernel with two CPUs. Its table and its JSON have every
# row and the same numbers, and no name of the machine. It fails if a session's mask drops events, and
# if events are lost. It refuses to run beside a recording. --json replaces no device and no link. A
# signal ends each part soon, and nothing remains: neither a session nor a recording, and the main
# session's mask is as before.
. tests/guest/lib.sh
guest_begin selftest

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
hostname hidden-name
# status NAME COMMAND...: writes its output and exit status to files
status()
{
	name=$1
	shift
	ret=0
	"$@" >/out/$name.out 2>/out/$name.err || ret=$?
	echo $ret >/out/$name.status
}
status unloaded kutrace_control selftest
must insmod /lib/kutrace.ko
must kutrace_control mask -softirq
must kutrace_control mask --json >/out/mask.before
status passes kutrace_control selftest --quick --json /out/passes.json

# --json replaces no device and no link, and reports a full disk. JSON on standard output comes alone.
cp /out/passes.json /out/old.json
chmod 600 /out/old.json
ln -s old.json /out/old.link
ln -s fresh.json /out/fresh.link
[ -e /dev/stdout ] || ln -s /proc/self/fd/1 /dev/stdout
mkdir /full
must mount -t tmpfs -o size=16k tmpfs /full
dd if=/dev/zero of=/full/zeros bs=4096 2>/dev/null
status nofolder kutrace_control selftest --json /nodir/x counts
for file in /dev/null /dev/full /full/x /out/old.link /out/fresh.link - /dev/stdout; do
	name=json-$(echo $file | tr / _)
	cd /tmp
	status $name kutrace_control selftest --json $file counts
done
ls -a /tmp /full /out >/out/listed
for file in /dev/null /dev/full; do
	[ -c $file ] || echo $file
done >/out/no-devices
for file in /out/old.link /out/fresh.link; do
	[ -L $file ] || echo $file
done >/out/no-links
stat -c %a /out/old.json >/out/old.mode
umount /full

# A mask drops events that the kernel counts.
must kutrace_control session create masked --size 16
must kutrace_control --session masked mask -syscall64,context_switch
status masked kutrace_control --session masked selftest --json /out/masked.json counts
must kutrace_control --session masked mask all
must kutrace_control --session masked mask -mark
status markless kutrace_control --session masked selftest order
must kutrace_control session destroy masked

# Two processes fill a buffer of 1 MB before the workload ends.
for i in 1 2; do
	dd if=/dev/zero of=/dev/null bs=1 &
done 2>/dev/null
status lost kutrace_control selftest --size 1 --json /out/lost.json counts
kill %1 %2 2>/dev/null || kill $(jobs -p)

# Beside another recording.
must kutrace_control start
status beside kutrace_control selftest
must kutrace_control status --json >/out/beside.json
must kutrace_control off

# Signals during the costs, in the middle of a recording. After SIGKILL, the kernel removes the session
# when the test's last process has ended.
in_costs()
{
	kutrace_control selftest costs >/out/signal.out 2>&1 &
	selftest=$!
	until kutrace_control session list --json | grep -q '"selftest-[^}]*"recording": true'; do usleep 10000; done
	must kill -$1 $selftest
}
in_costs KILL
while kutrace_control session list | grep -q selftest; do usleep 10000; done
in_costs TERM
ret=0
wait $selftest || ret=$?
echo $ret >/out/signal.status

# SIGINT to all processes of the test, as by ^C at a terminal, and to its main process, in each part.
# In the part rate, at several times: also before a block of the stream is full.
seconds()
{
	cut -d . -f 1 /proc/uptime
}
interrupt()	# PART DELAY TARGET
{
	ret=0
	setsid sh -c "
		(
			until kutrace_control session list --json | grep -q '\"selftest-[^}]*\"recording\": true'; do usleep 10000; done
			usleep $2
			cut -d . -f 1 /proc/uptime >/tmp/sent
			kill -INT $3
		) &
		exec kutrace_control selftest $1" >/out/interrupt.out 2>&1 || ret=$?
	echo "$1 $2 $ret $(($(seconds) - $(cat /tmp/sent))) $(kutrace_control session list | grep -c selftest) $(pidof kutrace_control)"
}
for part in counts order costs; do
	interrupt $part 0 0
	interrupt $part 0 '$$'
done >/out/interrupts
for delay in 0 200000 700000 1000000 1300000 1600000 2000000 2300000; do
	interrupt rate $delay 0
	interrupt rate $delay '$$'
done >>/out/interrupts
must kutrace_control session list --json >/out/sessions
must kutrace_control mask --json >/out/mask.after
must kutrace_control mask all
must rmmod kutrace
SCRIPT

# Prints a value of the JSON $1, by a Perl expression of $r.
value()
{
	perl -MJSON::PP -e 'local $/; open F, shift or die; my $r = decode_json(<F>);
		my @v = eval shift; die $@ if $@; print "@v\n"' "$1" "$2"
}

# Prints "WHAT LOW HIGH COUNTED VERDICT" for each row of the counts, by the JSON $1.
json_rows()
{
	value "$1" 'map { (my $w = $$_{what}) =~ tr/ /_/;
		"$w $$_{recorded_low} $$_{recorded_high} $$_{counted} " . ($$_{verdict} =~ tr/ /_/r) . "\n" }
		@{$$r{counts}}' | sed 's/^ *//' | grep .
}

# Does the same by the table $1.
table_rows()
{
	awk '/^lost events/ { exit } on && /(same|different|not exact)$/ {
			verdict = /not exact$/ ? "not_exact" : $NF
			sub(/ +(same|different|not exact)$/, "")
			counted = $NF
			high = $(NF - 1)
			low = $(NF - 2) == "to" ? $(NF - 3) : high
			sub(/ +[0-9]+( to [0-9]+)? +[0-9]+$/, "")
			gsub(/ /, "_")
			print $0, low, high, counted, verdict
		}
		/^events  / { on = 1 }' "$1"
}

refuses()
{
	is "$1: exit status" "$(cat "$OUT/$2.status")" 1
	like "$1: the message" "$(cat "$OUT/$2.err")" "$3"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 500; then
	refuses "without the module" unloaded '^kutrace_control: selftest: .*module not loaded: run '
	refuses "beside a recording" beside '^kutrace_control: selftest: session main is recording: '
	is "beside a recording: it continues" "$(sed -n 's/.*"recording": \([a-z]*\).*/\1/p' "$OUT/beside.json")" true

	sed 's/^/# /' "$OUT/passes.out" >&2
	json=$OUT/passes.json
	is "it passes" "$(cat "$OUT/passes.status")" 0
	is "its last line" "$(tail -n 1 "$OUT/passes.out")" "selftest: passed"
	is "the JSON: passed" "$(value "$json" '$$r{passed}')" 1
	is "it prints nothing on standard error" "$(cat "$OUT/passes.err")" ""
	json_rows "$json" >"$TAP_TMP/json"
	# Only on x86 the timer has a line of its own.
	[ -n "$KARCH" ] && timer="device interrupts" || timer="local timer interrupts"
	table_rows "$OUT/passes.out" >"$TAP_TMP/table"
	is "the JSON has the rows of the table" "$(cat "$TAP_TMP/json")" "$(cat "$TAP_TMP/table")"
	for row in "calls of read" "calls of write" "calls of close" "calls of sched_yield" "calls of getpid" \
		"calls of getppid" "calls of clock_nanosleep" "other calls" "reads, by /proc/self/io" \
		"writes, by /proc/self/io" "page faults, by getrusage" "context switches, by getrusage" \
		"context switches of all CPUs" "softirqs timer" "softirqs sched" "$timer"; do
		name=$(echo "$row" | tr ' ' _)
		like "$row: counted, and the same" "$(grep "^$name " "$TAP_TMP/json")" '[1-9][0-9]* same$'
	done
	# The readings are short, so the bounds are narrow.
	between "context switches: the bounds differ by few" \
		"$(awk '/^context_switches_of_all/ { print $3 - $2 }' "$TAP_TMP/json")" 0 200
	is "nothing is lost" "$(value "$json" '$$r{lost_events}')" 0
	is "one pair of CPUs is checked" "$(value "$json" '@{$$r{order}}{qw(pairs all_pairs before_cause)}')" "1 1 0"
	between "passes through memory" "$(value "$json" '$$r{order}{passes}')" 5 199
	between "wakeups with a switch" "$(value "$json" '$$r{order}{wakeups}')" 5 100
	is "the costs" "$(value "$json" 'join ",", map { $$_{what} } @{$$r{costs}}')" "getpid,page fault,context switch,mark"
	# Recording a call costs time. A mark that is not recorded needs no call.
	ok "each cost was measured" perl -e 'exit(grep { $_ <= 0 } @ARGV)' $(value "$json" \
		'map { ($$_{not_recording}{least_ps}, $$_{recording}{median_ps}) } @{$$r{costs}}')
	ok "a mark costs more while it is recorded" [ "$(value "$json" '$$r{costs}[3]{in_noise}')" = 0 ]
	between "events of the stream per second" "$(value "$json" '$$r{stream}{kept_events_per_s}')" 1000 1000000000
	for text in "getpid  " "page fault  " "context switch  " "mark  " "pairs of CPUs  " "largest rate without loss  "; do
		like "the table has $text" "$(cat "$OUT/passes.out")" "^$text"
	done
	is "the kernel" "$(value "$json" '$$r{kernel}')" "$KVER"
	is "the module's version" "$(value "$json" '$$r{module_version}')" 4
	[ -n "$KARCH" ] ||
		is "the clock, and the hypervisor" "$(value "$json" '"$$r{clock_source} $$r{hypervisor}"')" "tsc 1"
	unlike "no name of the machine or a program" "$(cat "$json" "$OUT/passes.out")" 'hidden-name|busybox|insmod'

	like "a missing folder is reported first" "$(cat "$OUT/nofolder.err")" \
		'^kutrace_control: selftest: --json: /nodir/x: No such file or directory$'
	is "a missing folder: nothing is measured" "$(cat "$OUT/nofolder.out")" ""
	for name in _dev_null _out_old.link _out_fresh.link - _dev_stdout; do
		is "--json $name: exit status" "$(cat "$OUT/json-$name.status")" 0
	done
	for name in _dev_full _full_x; do
		is "--json $name: exit status" "$(cat "$OUT/json-$name.status")" 1
		like "--json $name: the message" "$(cat "$OUT/json-$name.err")" ': No space left on device$'
	done
	is "devices remain" "$(cat "$OUT/no-devices")" ""
	is "links remain" "$(cat "$OUT/no-links")" ""
	is "a replaced file keeps its mode" "$(cat "$OUT/old.mode")" 600
	unlike "no file has a wrong name, and no part remains" "$(cat "$OUT/listed")" '^(-|.*[.]part)$'
	for name in old.json fresh.json json--.out json-_dev_stdout.out; do
		is "$name is the JSON" "$(value "$OUT/$name" '$$r{passed}')" 1
	done

	# A signal ends the test within a second on an idle machine. Without it, the part rate takes a minute.
	is "SIGINT: number of tries" "$(wc -l <"$OUT/interrupts")" 22
	is "SIGINT: status 130, at most 20 s, no session, no process" \
		"$(awk '$3 != 130 || $4 > 20 || $5 != 0 || NF > 5' "$OUT/interrupts")" ""

	like "with a mask: a warning" "$(cat "$OUT/masked.err")" 'session masked has a mask or a filter'
	is "with a mask it fails" "$(cat "$OUT/masked.status")" 1
	like "with a mask: its last line" "$(tail -n 1 "$OUT/masked.out")" \
		'^selftest: failed: .*calls of getpid; .*context switches, by getrusage; context switches of all CPUs$'
	is "with a mask: the JSON has failed" "$(value "$OUT/masked.json" '$$r{passed} + 0')" 0
	like "with a mask: no recorded call" "$(json_rows "$OUT/masked.json")" '^calls_of_getpid 0 0 1009 different$'
	# Without context switches, faults of other programs on the CPU can count as the test's.
	like "with a mask: no failure in another row" "$(json_rows "$OUT/masked.json")" '^page_faults.* (same|not_exact)$'
	is "without marks the order fails" "$(cat "$OUT/markless.status")" 1
	is "without marks: its last line" "$(tail -n 1 "$OUT/markless.out")" \
		"selftest: failed: no mark between CPUs was recorded"

	is "with lost events it fails" "$(cat "$OUT/lost.status")" 1
	like "with lost events: its last line" "$(tail -n 1 "$OUT/lost.out")" \
		"^selftest: failed: $(value "$OUT/lost.json" '$$r{lost_events}') events were lost"
	between "with lost events: their number" "$(value "$OUT/lost.json" '$$r{lost_events}')" 1 100000000

	is "SIGTERM: exit status" "$(cat "$OUT/signal.status")" 143
	unlike "SIGTERM: no verdict" "$(cat "$OUT/signal.out")" "passed|failed"
	is "SIGTERM: only the main session remains" "$(grep -o '"name": "[^"]*"' "$OUT/sessions")" '"name": "main"'
	like "SIGTERM: nothing is recorded" "$(cat "$OUT/sessions")" '"recording": false'
	is "the main session's mask is as before" "$(cat "$OUT/mask.after")" "$(cat "$OUT/mask.before")"
fi
tap_end
