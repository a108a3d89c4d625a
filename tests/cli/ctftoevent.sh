#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 25
# ci
#
# Tests ctftoevent. It passes the common checks. A trace of rawtoctf gives each original event and the
# same spans. A trace as LTTng writes it (by make_lttng, which shares no code with ctftoevent) gives all
# events that it contains, and babeltrace2 reads the same number. Missing events are reported. A broken
# trace gives no output, even if an assertion of the library fails, and no sanitizer reports an error.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
make_traces >&2 || exit 1
TOOL=$BIN/ctftoevent
"$BIN/rawtoctf" -o "$TAP_TMP/good.tar" "$TRACES/good.trace" 2>/dev/null
GOOD=$TAP_TMP/good.tar
DATES='s/^# \[1\] [0-9_:.-]*/# [1] DATE/'
common_checks ctftoevent "$GOOD"

reader=
if command -v babeltrace2 >/dev/null; then
	reader=babeltrace2
else
	skip "babeltrace2 reads the traces" "no babeltrace2"
fi
DIR=$TAP_TMP/ctf
built "$BUILD/tests/make_lttng" "$BUILD/tests/flip"

# events: prints only the events of event text.
events() { grep -v '^#\|^-' | grep ' ([0-9a-f]*)$'; }

# --- traces of rawtoctf ----------------------------------------------------------------

# back NAME TRACE: passes if each event and all spans are the same after conversion to CTF and back.
back()
{
	rm -rf "$DIR"
	"$BIN/rawtoctf" --into "$DIR" "$2" 2>/dev/null
	run /dev/null "$TOOL" "$DIR"
	is "$1: exit status" "$STATUS" 0
	cp "$OUT" "$TAP_TMP/back.events"
	"$BIN/rawtoevent" "$2" 2>/dev/null >"$TAP_TMP/raw.events"
	awk -f tests/cli/ctf_split.awk "$TAP_TMP/raw.events" | sort >"$TAP_TMP/want"
	events <"$TAP_TMP/back.events" | sort >"$TAP_TMP/got"
	between "$1: events" "$(wc -l <"$TAP_TMP/want")" 3 10000000
	ok "$1: exactly the same events come back" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	diff "$TAP_TMP/got" "$TAP_TMP/want" | head -n 5 >&2
	# randomid depends on the time of the last event. If a call and its return share one entry,
	# the last event is the call in the raw trace, and the return after the conversion.
	"$BIN/eventtospan" x <"$TAP_TMP/raw.events" 2>/dev/null | grep -v '"randomid"' | sort >"$TAP_TMP/want"
	"$BIN/eventtospan" x <"$TAP_TMP/back.events" 2>/dev/null | grep -v '"randomid"' | sort >"$TAP_TMP/got"
	ok "$1: all spans and facts come back" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	diff "$TAP_TMP/got" "$TAP_TMP/want" | head -n 5 >&2
}

for name in $(golden_names); do
	xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/$name.trace"
	back "$name" "$TAP_TMP/$name.trace"
done
back "counters" "$TRACES/good-ipc.trace"
back "typed tracepoints" "$TRACES/points.trace"
back "the scheduler as it was" "$TRACES/old-sched.trace"
back "a pause" "$TRACES/paused.trace"
# the getpid of init before the pause becomes the beginning of RPC 7
at=8198
while [ $(($(word "$TRACES/paused.trace" $at) >> 32 & 0xFFF)) != $((0x827)) ]; do
	at=$((at + 1))
done
cp "$TRACES/paused.trace" "$TAP_TMP/rpc.trace"
put_word "$TAP_TMP/rpc.trace" $at $(($(word "$TRACES/paused.trace" $at) & 0xFFFFF << 44 | 0x201 << 32 | 7))
back "a pause ends an RPC" "$TAP_TMP/rpc.trace"
is "a pause ends an RPC: the trace has one" "$(awk '$6 == 7 { print $3 }' "$TAP_TMP/back.events" | sort -u | tr '\n' ' ')" '2049 513 '
built "$BUILD/tests/make_shapes"
"$BUILD/tests/make_shapes" pauses 1000 "$TAP_TMP/pauses.trace"
back "500 pauses" "$TAP_TMP/pauses.trace"
between "500 pauses share a few entries of the environment" "$(grep -c 'kutrace_[0-9]* = "pause=' "$DIR/metadata")" 2 9
is "an entry has at most 4096 bytes" "$(awk -F'"' '/pause=/ && length($2) >= 4096' "$DIR/metadata")" ""
# older versions of rawtoctf wrote an entry for each pause
"$TOOL" "$DIR" 2>/dev/null >"$TAP_TMP/shared.events"
awk '/kutrace_[0-9]+ = / { sub(/^.*kutrace_[0-9]+ = "/, ""); sub(/";$/, ""); count = /^pause=/ ? split($0, fact, " ") : 1
	if (count == 1) fact[1] = $0
	for (i = 1; i <= count; i++) printf "\tkutrace_%d = \"%s\";\n", number++, fact[i]; next } 1' \
	"$DIR/metadata" >"$TAP_TMP/metadata"
cp "$TAP_TMP/metadata" "$DIR/metadata"
between "one entry for each pause" "$(grep -c 'kutrace_[0-9]* = "pause=' "$DIR/metadata")" 500 500
run /dev/null "$TOOL" "$DIR"
ok "one entry for each pause: the same" cmp "$OUT" "$TAP_TMP/shared.events"
for name in k61-2cpu k61-4cpu; do
	if reference "$name.trace"; then
		back "$name" "$REFERENCE/$name.trace"
	else
		skip "$name" "no reference traces"
	fi
done
sed 's/lost_full=0/lost_full=7/' "$TAP_TMP/stock.trace" >"$TAP_TMP/lost.trace"
back "events lost" "$TAP_TMP/lost.trace"

# --- traces of LTTng ------------------------------------------------------------------

# lttng NAME WORDS: passes if a trace made with these WORDS gives the expected events.
lttng()
{
	rm -rf "$DIR"
	# shellcheck disable=SC2086 # several words, or none
	"$BUILD/tests/make_lttng" "$DIR" $2 >"$TAP_TMP/want"
	run /dev/null "$TOOL" "$DIR"
	is "$1: exit status" "$STATUS" 0
	events <"$OUT" >"$TAP_TMP/got"
	between "$1: events" "$(wc -l <"$TAP_TMP/want")" 50 100
	ok "$1: exactly the expected events" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	diff "$TAP_TMP/got" "$TAP_TMP/want" | head -n 5 >&2
	[ -z "$reader" ] || is "$1: babeltrace2 reads as many events" "$($reader "$DIR" 2>/dev/null | wc -l)" \
		"$(sed -n 's/^ctftoevent: \([0-9]*\) events of CTF.*/\1/p' "$ERR")"
	"$BIN/eventtospan" <"$OUT" >"$TAP_TMP/json" 2>"$TAP_TMP/said"
	# for a trace without context switches, eventtospan reports only their absence
	is "$1: eventtospan corrects nothing" "$(grep -c 'not recorded\|corrected' "$TAP_TMP/said")" \
		$([ "$2" = nosched ] && echo 1 || echo 0)
}
lttng "compact headers, little endian" ""
like "the host" "$(cat "$TAP_TMP/json")" '^ "hostName" : "build\\"er",$'
like "the kernel" "$(cat "$TAP_TMP/json")" '^ "kernelVersion" : "5.10.0-8-amd64 #1 SMP",$'
like "the recorder" "$(cat "$TAP_TMP/json")" '"backend": "lttng-modules 2.13"'
like "the categories" "$(cat "$TAP_TMP/json")" \
	'"categories": \["syscall", "trap", "irq", "softirq", "sched", "wakeup", "idle", "freq", "process", "net"\]'
like "the caveats" "$(cat "$TAP_TMP/json")" \
	'"caveats": \["sched_entry", "irq_action", "fault_begin", "traps_none", "other_events"\]'
like "the losses" "$(cat "$TAP_TMP/json")" '"lost" : {"discarded": 3, "total": 3}'
like "the id of the trace" "$(cat "$TAP_TMP/json")" '"trace_id": "6f180b0c-b242-c148-ab44-6cbf960a58b2"'
like "times are UTC" "$(cat "$TAP_TMP/json")" '"utc_ns": "1571261760000000000"'
like "no line that the original's filters would break" "x$(awk 'length > 250' "$TAP_TMP/json")" '^x$'
like "the summary reports the omitted events" "$(cat "$ERR")" '^  3 events of kinds that the page cannot show'
cp "$OUT" "$TAP_TMP/little"
lttng "compact headers, big endian, another clock" be
lttng "large headers" large
lttng "large headers, big endian, metadata in packets, the running task with each event" "be large packets tid"
lttng "metadata in packets" packets
events <"$TAP_TMP/little" >"$TAP_TMP/want"
ok "metadata in packets gives the same events" cmp "$TAP_TMP/got" "$TAP_TMP/want"
lttng "only sched_wakeup" wakeup
like "only sched_wakeup gives a caveat" "$(cat "$TAP_TMP/json")" '"wakeup_target"'
lttng "no context switches" nosched
unlike "no context switch is invented" "$(cat "$TAP_TMP/got")" ' 0 512 '
lttng "a packet is missing" gap
like "a missing packet counts as a loss" "$(cat "$TAP_TMP/json")" '"packets_lost"'
like "a missing packet is reported" "$(cat "$ERR")" '^  2 packets missing'

# Version 2.1 of libbabeltrace2 does not report these losses.
case $($reader --version) in
*' 2.0.'*)
	lttng "events are lost in the first packet" early
	like "events lost in the first packet: the trace does not have their number" "$(cat "$ERR")" '^  at least 1 events lost'
	like "events lost in the first packet are a loss" "$(cat "$TAP_TMP/json")" '"lost" : {"discarded": 1, "total": 1}'
	;;
esac

lttng "old names of calls" old
like "a return whose call began before the trace is counted" "$(cat "$ERR")" '^  1 returns of calls that began before the trace have no name'

# --- traces of perf ---------------------------------------------------------------------

rm -rf "$DIR"
"$BUILD/tests/make_lttng" "$DIR" perf >"$TAP_TMP/want"
run /dev/null "$TOOL" "$DIR"
is "perf: exit status" "$STATUS" 0
events <"$OUT" >"$TAP_TMP/got"
ok "perf: exactly the expected events" cmp "$TAP_TMP/got" "$TAP_TMP/want"
diff "$TAP_TMP/got" "$TAP_TMP/want" | head -n 5 >&2
[ -z "$reader" ] || is "perf: babeltrace2 reads as many events" "$($reader "$DIR" 2>/dev/null | wc -l)" \
	"$(sed -n 's/^ctftoevent: \([0-9]*\) events of CTF.*/\1/p' "$ERR")"
like "perf: the kernel" "$(cat "$OUT")" '^-1 1 [0-9]+ 0 6\.1\.0 6\.1$'
like "perf: the host" "$(cat "$OUT")" '^-1 1 [0-9]+ 0 board$'
like "perf: the tracer" "$(cat "$OUT")" '^-1 1 [0-9]+ 0 backend=perf$'
like "perf: no time of day" "$(cat "$OUT")" 'caveat=no_date$'
like "perf: a new thread's name" "$(cat "$OUT")" '^-1 1 [0-9]+ 73 new$'
cp "$DIR/metadata" "$TAP_TMP/whole"
# lacking NAME SED COUNT GONE: renames a field, and passes if the events that need the field are omitted and counted.
# GONE is the number of these events in event text.
lacking()
{
	sed "$2" "$TAP_TMP/whole" >"$DIR/metadata"
	run /dev/null "$TOOL" "$DIR"
	is "$1: exit status" "$STATUS" 0
	like "$1: counted" "$(cat "$ERR")" "^  $3 events of kinds that the page cannot show, or without a necessary field"
	is "$1: all others are there" "$(events <"$OUT" | awk '!$2 || $3 != 512' | cut -d' ' -f1-7)" \
		"$(awk '!$2 || $3 != 512' "$TAP_TMP/want" | awk -v e="$4" '$3 != e || e == 512 && $2' | cut -d' ' -f1-7)"
	like "$1: a caveat" "$(cat "$OUT")" 'caveat=other_events$'
}
lacking "a wakeup without a task" '/sched_wakeup"/,/^}/s/ pid;/ number;/' 2 518
lacking "a switch without the next task" '/sched_switch"/,/^}/s/next_pid;/number;/' 3 512
lacking "an exit without a task" '/sched_process_exit"/,/^}/s/ pid;/ number;/' 2 531
lacking "a softirq without its number" '/softirq_entry"/,/^}/s/ vec;/ number;/' 2 1535
lacking "an idle state without its number" '/cpu_idle"/,/^}/s/ state;/ number;/' 2 520
lacking "a wakeup without a CPU" '/sched_wakeup"/,/^}/s/perf_cpu;/number;/' 2 518
sed 's/perf_cpu;/number;/' "$TAP_TMP/whole" >"$DIR/metadata"
run /dev/null "$TOOL" "$DIR"
expect "no event has a CPU" 1 'of 16 events, none has all necessary fields: sched_switch has no CPU \(cpu_id of its packets, or perf_cpu\)'
silent "no event has a CPU: no output"
sed '/vectors/!s/"[a-z_]*:/"/' "$TAP_TMP/whole" >"$DIR/metadata"
run /dev/null "$TOOL" "$DIR"
events <"$OUT" >"$TAP_TMP/got"
ok "the kernel's names without their groups: the same events" cmp "$TAP_TMP/got" "$TAP_TMP/want"
cp "$TAP_TMP/whole" "$DIR/metadata"
rm -rf "$TAP_TMP/lttng"
"$BUILD/tests/make_lttng" "$TAP_TMP/lttng" >/dev/null
sed -i 's/cpu_id;/number;/' "$TAP_TMP/lttng/metadata"
run /dev/null "$TOOL" "$TAP_TMP/lttng"
expect "LTTng's packets without a CPU" 1 'none has all necessary fields: sched_switch has no CPU'
REAL=../shared/fails/01/perf-taskset2
if [ -d "$REAL" ] && [ -n "$reader" ]; then
	run /dev/null "$TOOL" "$REAL"
	# perf's times in ns, without their last digit, are times in units of 10 ns
	$reader --clock-seconds "$REAL" 2>/dev/null >"$TAP_TMP/real"
	at='s/^\[([0-9]+)\.([0-9]{8})[0-9]\].*'
	for what in 'sched_switch next_pid 512 0' 'sched_wakeup pid 518 1' 'sched_process_exit pid 531 1'; do
		# shellcheck disable=SC2086 # four words
		set -- $what
		sed -nE "$at sched:$1: .*perf_cpu = ([0-9]+),.* $2 = ([0-9]+),.*/\1 \2 \3 \4/p" "$TAP_TMP/real" |
			awk '{ print $1 - 960 $2, $3, $4 }' | sort >"$TAP_TMP/want"
		events <"$OUT" | awk -v e="$3" -v d="$4" '$3 == e && $2 == d { print $1, $4, $7 }' | sort >"$TAP_TMP/got"
		between "perf's own: $1" "$(wc -l <"$TAP_TMP/want")" 1 1000
		# ctftoevent moves the second of two events with the same time on a CPU by 10 ns
		is "perf's own: CPU and task of each $1" "$(cut -d' ' -f2- "$TAP_TMP/got" | sort | uniq -c)" \
			"$(cut -d' ' -f2- "$TAP_TMP/want" | sort | uniq -c)"
		between "perf's own: at its time" "$(comm -12 "$TAP_TMP/got" "$TAP_TMP/want" | wc -l)" \
			$(($(wc -l <"$TAP_TMP/want") - 3)) 1000
	done
else
	skip "a trace that perf wrote" "not here, or no babeltrace2"
fi

# inputs: a folder, an archive of its files, an archive with the folder in it, and an archive with
# long names
rm -rf "$DIR"
"$BUILD/tests/make_lttng" "$DIR" >/dev/null
"$TOOL" "$DIR" 2>/dev/null >"$TAP_TMP/folder.events"
tar -cf "$TAP_TMP/plain.tar" -C "$DIR" metadata channel0_0 channel0_1
long=$(printf '%0150d' 0)
mkdir -p "$TAP_TMP/session/$long/$long/kernel/index" "$TAP_TMP/session/$long/$long/ust/uid"
cp "$DIR"/* "$TAP_TMP/session/$long/$long/kernel"
cp "$DIR/metadata" "$TAP_TMP/session/$long/$long/ust/uid"
echo no stream >"$TAP_TMP/session/$long/$long/kernel/index/channel0_0.idx"
tar -cf "$TAP_TMP/gnu.tar" -C "$TAP_TMP" --format=gnu session
tar -cf "$TAP_TMP/pax.tar" -C "$TAP_TMP" --format=posix session
for from in "$TAP_TMP/plain.tar" "$TAP_TMP/gnu.tar" "$TAP_TMP/pax.tar" "$TAP_TMP/session"; do
	run /dev/null "$TOOL" "$from"
	ok "$(basename "$from"): the same as the folder" cmp "$OUT" "$TAP_TMP/folder.events"
done
cp -r "$DIR" "$TAP_TMP/session/other"
cp -r "$TAP_TMP/session/$long/$long/kernel" "$TAP_TMP/session/kernel"
run /dev/null "$TOOL" "$TAP_TMP/session"
expect "two kernels' traces" 1 '^ctftoevent: .*/session: 4 traces in it, such as .*; name the folder of one'
silent "two kernels' traces: no output"

# the output must not replace an input file under any of that file's names
cp -r "$DIR" "$TAP_TMP/taken"
ln "$TAP_TMP/taken/channel0_1" "$TAP_TMP/hard"
ln -s taken/metadata "$TAP_TMP/soft"
for to in taken/metadata taken/channel0_0 hard soft; do
	run /dev/null "$TOOL" "$TAP_TMP/taken" -o "$TAP_TMP/$to"
	expect "-o $to would overwrite the trace" 1 '^ctftoevent: cannot write .*: it is the file that is read; give another name'
	ok "-o $to does not change the trace" diff -r "$DIR" "$TAP_TMP/taken"
done

# --- hostile input: the whole output or none -------------------------------------------

build_sanitized
# libbabeltrace2 does not free everything after an error.
printf 'leak:babeltrace\nleak:libglib\n' >"$TAP_TMP/leaks"
LSAN_MORE=suppressions=$TAP_TMP/leaks:print_suppressions=0 serve "$SAN/bin/ctftoevent"

# hostile WHAT: checks the last run, of a broken input, and prints the errors found.
hostile()
{
	case $STATUS in
	0) ;;
	1) [ ! -s "$OUT" ] || echo "$1: output in spite of an error"
		grep -q '^ctftoevent: ' "$ERR" || echo "$1: no message" ;;
	*) echo "$1: status $STATUS: $(grep -E 'ERROR|SUMMARY|runtime error' "$ERR" | head -n 2)" ;;
	esac
}
cut=
size=$(wc -c <"$TAP_TMP/plain.tar")
for at in $(seq 0 1021 "$size") $((size - 512)) $((size - 1024)); do
	head -c "$at" "$TAP_TMP/plain.tar" >"$TAP_TMP/cut.tar"
	run_served /dev/null "$SAN/bin/ctftoevent" "$TAP_TMP/cut.tar"
	# the archive ends with several blocks of zeros, and is complete without the last ones
	[ "$STATUS" = 1 ] || cmp -s "$OUT" "$TAP_TMP/folder.events" || cut="$cut $at (status $STATUS)"
	cut="$cut$(hostile "cut at $at")"
done
is "a trace cut anywhere gives an error and no output" "$cut" ""
flipped=
for file in metadata channel0_0 channel0_1; do
	size=$(wc -c <"$DIR/$file")
	for at in $(seq 3 $((size / 40)) $((size - 1))); do
		"$BUILD/tests/flip" "$DIR/$file" "$at" $((at % 8)) || exit 1
		run_served /dev/null "$SAN/bin/ctftoevent" "$DIR"
		flipped="$flipped$(hostile "$file, byte $at")"
		if [ "$STATUS" = 0 ]; then
			"$BIN/eventtospan" <"$OUT" >/dev/null 2>"$ERR" || flipped="$flipped $file, byte $at: eventtospan refuses it"
		fi
		"$BUILD/tests/flip" "$DIR/$file" "$at" $((at % 8)) || exit 1
	done
done
is "a changed bit gives an error, or events" "$flipped" ""
# This changed bit makes an assertion of libbabeltrace2 2.0.4 fail; other versions report an error, or read the events.
cp "$DIR/channel0_0" "$TAP_TMP/sound"
"$BUILD/tests/flip" "$DIR/channel0_0" 63 7 || exit 1
run_served /dev/null "$SAN/bin/ctftoevent" "$DIR"
is "a failed check of the library is an error" "$(hostile "channel0_0, byte 63")" ""
cp "$TAP_TMP/sound" "$DIR/channel0_0"
# broken SED MESSAGE: changes the metadata with the sed script, and expects the message.
broken()
{
	cp "$DIR/metadata" "$TAP_TMP/sound"
	sed "$1" "$TAP_TMP/sound" >"$DIR/metadata"
	run_served /dev/null "$SAN/bin/ctftoevent" "$DIR"
	expect "metadata: $2" 1 "$2"
	silent "metadata: $2: no output"
	cp "$TAP_TMP/sound" "$DIR/metadata"
}
broken 's/major = 1/major = 2/' 'metadata: the trace is damaged: At line 11 in metadata stream: Invalid trace.s `m..or` attribute'
broken 's/size = 27; align = 1/size = 127; align = 1/' 'metadata: the trace is damaged: At line 42 in metadata stream: Invalid `size` attribute'
broken 's/struct event_header_compact;/struct nowhere;/' 'metadata: .*struct nowhere'
broken 's/__buf_length \]/__length ]/' 'metadata: .*path="__length"'
broken 's/variant <id>/variant <it>/' 'metadata: .*path="it"'
broken 's/_prev_comm\[16\]/_prev_comm[99999999999999]/' 'channel0_1: the trace is damaged: .*(EOF|of packet content remain)'
broken 's/_prev_comm\[16\]/_prev_comm[9999999999]/' 'channel0_1: the trace is damaged: .*(EOF|of packet content remain)'
broken 's/freq = 1000000000/freq = 0/' 'metadata: the trace is damaged: At line 38 in metadata stream: Invalid clock class frequency: freq=0'
broken 's/id = 6;/id = 5;/' 'metadata: the trace is damaged: At line 173 in metadata stream: Duplicate event class .*: id=5'
broken 100q 'metadata: (the trace is damaged: At line .*syntax error|damaged, or unreadable .*: Cannot create the metadata AST)'
broken "s/string _filename/$(printf 'struct { %.0s' $(seq 40))/" 'metadata: (the trace is damaged: At line .*syntax error|damaged, or unreadable .*: Cannot create the metadata AST)'
printf '\036{"type":"preamble","version":2}' >"$DIR/metadata"
run /dev/null "$TOOL" "$DIR"
expect "version 2 without its classes" 1 'metadata'
unlike "version 2: version 2.0 of the library does not read it" \
	"$(case $($reader --version) in *' 2.0'*) sed '/install 2\.1 of it, or record by lttng create --trace-format=ctf-1\.8/d' "$ERR" ;; esac)" .
ok "the documented recipe records the version that every library reads" grep -q -- '--trace-format=ctf-1\.8' docs/guide/other-tools.md
# Version 2.0 of libbabeltrace2 reads this packet of metadata without end.
printf '\165\321\035\127' >"$DIR/metadata"
head -c 22 /dev/zero >>"$DIR/metadata"
printf '\040\150\000\000\045\200\000\000\000\001\010' >>"$DIR/metadata"
case $($reader --version) in
*' 2.0'*)
	run /dev/null timeout -s INT 5 "$BIN/ctftoevent" "$DIR"
	like "metadata without an end: an interrupt ends it" "$(cat "$ERR")" '^ctftoevent: interrupted'
	run_served /dev/null "$SAN/bin/ctftoevent" "$DIR"
	expect "metadata without an end" 1 '^ctftoevent: .*libbabeltrace2 has computed for 5 s without a result: the trace is damaged'
	;;
*)
	run /dev/null "$BIN/ctftoevent" "$DIR"
	expect "metadata without an end" 1 'metadata'
	;;
esac
rm "$DIR/metadata"
run /dev/null "$TOOL" "$DIR"
expect "no metadata" 1 '^ctftoevent: .*/ctf: not a CTF trace: no file metadata in it'
run /dev/null "$TOOL" "$TAP_TMP/stock.trace"
expect "no archive" 1 '^ctftoevent: .*stock.trace: not an archive \(tar\) of a CTF trace'
run /dev/null "$TOOL" /nonexistent
expect "a folder that does not exist" 1 '^ctftoevent: cannot read /nonexistent: No such file'
mkdir "$TAP_TMP/o"
head -c 3000 "$TAP_TMP/plain.tar" >"$TAP_TMP/cut.tar"
run /dev/null "$TOOL" -o "$TAP_TMP/o/x" "$TAP_TMP/cut.tar"
is "-o and a broken trace: nothing is left" "$STATUS$(ls -A "$TAP_TMP/o")" 1

# --- a large trace ----------------------------------------------------------------------------

large_trace
"$BIN/rawtoctf" -o "$TAP_TMP/large.tar" "$TAP_TMP/measured.trace" 2>/dev/null
reads_large "$TAP_TMP/large.tar"

for bad in "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $bad
	expect "usage: $bad" 2 '^ctftoevent: '
done
tap_end
