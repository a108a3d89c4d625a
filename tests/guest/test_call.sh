#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 15
# needs: patched
# also: debug_call KUTRACE_PATCHED_CONFIG=debug timeout: 1500 takes: 300 needs: debug full
#
# The control system call of the patched kernel gives the same marks, names and dumps as the device.
# call.c uses it like programs that were built with the original's library. Its dumps, made in
# pieces of 4 KiB and word by word, must be sound, and have the marks and names that libkutrace
# records by the device and, without a device, by the call.
. tests/guest/lib.sh
guest_begin call${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
if ! patched_kernel; then
	fail "the patched kernel is built" "see above"
	tap_end
fi
prog="--file $GUEST_BIN/call --file $GUEST_BIN/marker"
names=3001 marks=401 many=400009

# value FILE WHAT: a value from the output of call.c
value()
{
	awk -v what="$2" '$1 == what { print $2; exit }' "$OUT/$1.said"
}

# said NAME FILE WHAT VALUE...: compares values from the output of call.c
said()
{
	_name=$1 _file=$2
	shift 2
	while [ $# -gt 1 ]; do
		is "$_name: $1" "$(value "$_file" "$1")" "$2"
		shift 2
	done
}

# marks_of() prints the marks of a process, locks_of() its names of locks.
marks_of()
{
	event_awk -v pid="$(value "$2" pid)" '!/^#/ && $3 >= EV_MARKA && $3 <= EV_MARKD && $5 == pid {
		print $3, $7 }' "$1.events"
}

locks_of()
{
	awk '!/^#/ && NF == 5 && int($3 / 256) == 0 && $3 % 16 == 7 && $1 != -1 {
		print $4, $5 }' "$1.events" | LC_ALL=C sort
}

# trace NAME FILE: checks that the trace is sound, and makes text of it
trace()
{
	trace_ok "$1" "$OUT/$2"
	if trace_text "$OUT/$2"; then
		pass "$1: the filters read it"
	else
		fail "$1: the filters read it" "$(tail -n 3 "$OUT/$2".*to*)"
	fi
}

cat >"$TAP_TMP/call" <<SCRIPT
#!/bin/sh
set -e
call ask >/out/absent.said
insmod /lib/kutrace.ko mb=2
call ask >/out/present.said
call library /out/device.trace own $marks $names 0 >/out/device.said
call record /out/4k.trace /out/word.trace own $marks $names 0 >/out/record.said
call record /out/wrap.trace /out/wrapword.trace many $many 11 1 >/out/wrap.said
call record /out/nowrap.trace /out/nowrapword.trace own $marks 11 1 >/out/nowrap.said
kutrace_control run -o /out/both.trace -- sh -c \
	'call mark own $marks >/out/mark.said; marker x 3; call merge 1009'
# While another session records, a call that turns recording on or off also exchanges the hooks: for
# two recordings with the same unit of time, the module uses other hooks.
kutrace_control --session beside start --size 4
kutrace_control reset
mv /dev/kutrace /dev/hidden
kutrace_control on >/out/on.said
call mark own 100 >/out/hundred.said
kutrace_control off >/out/off.said
mv /dev/hidden /dev/kutrace
kutrace_control dump /out/hundred.trace >/dev/null
call record /out/second.trace /out/secondword.trace own $marks $names 0 >/out/second.said
kutrace_control --session beside stop /out/beside.trace >/dev/null
call refuse >/out/refuse.said
kutrace_control go >/dev/null
call user 65534 >/out/user.said
kutrace_control off >/dev/null

# without the device
rm -r /dev/kutrace
call library /out/fallback.trace own $marks $names 0 >/out/fallback.said
call library /out/fallwrap.trace many $many 11 1 >/out/fallwrap.said
kutrace_control run -o /out/run.trace -- sh -c 'marker run 37; call mark x 2 >/dev/null'
kutrace_control status >/out/state
kutrace_control go >/dev/null
marker go 41
fails()
{
	name=\$1
	shift
	if "\$@" 2>"/out/\$name.err"; then
		die "\$name succeeded"
	fi
}
fails go kutrace_control go
fails reset kutrace_control reset
fails snapshot kutrace_control snapshot -o /out/snapshot.trace
fails stream kutrace_control stream -o /out/stream.trace
fails user su nobody -s /bin/sh -c 'kutrace_control status'
su nobody -s /bin/sh -c 'marker nobody 43'
kutrace_control stop /out/go.trace >/dev/null
fails goipc kutrace_control goipc
rmmod kutrace
fails absent kutrace_control status
marker nothing 2

# with permission to record, and with permission only to mark
insmod /lib/kutrace.ko mb=2 marks_all=1 gid=500
rm -r /dev/kutrace
kutrace_control go >/dev/null
call user 65534 >/out/marks.said
su nobody -s /bin/sh -c 'marker nobody 47'
kutrace_control stop /out/marks.trace >/dev/null
call user 65534 500 >/out/group.said
rmmod kutrace
SCRIPT

# shellcheck disable=SC2086
if guest_run "$TAP_TMP/call" --cpus 2 --timeout 300 $prog; then
	said "without the module" absent version -1 test -1 enosys 0
	said "with the module" present version 4 test 0
	said "record" record reset 0 count-empty 0 name-while-off 0 point-while-off 0 host 2 \
		names $names pid-name 2 switch 1 test-before 0 on 1 test 1 word-while-on -1 \
		set-while-on -1 count-while-on -1 name-while-on 2 off 0 flush 0 wrapped 0 \
		rest 0 dump-refused-4k 0 dump-refused-word 0
	between "record: the module's clock is the library's, us" \
		"$(value record clock-off-us)" 0 1000
	trace "4 KiB at a time" 4k.trace
	ok "a dump word by word is the same" cmp "$OUT/4k.trace" "$OUT/word.trace"
	is "as many blocks as counted" "$(($(wc -c <"$OUT/4k.trace") / 65536))" \
		"$(value record blocks)"
	between "there are name blocks in addition" $(($(value record blocks) - $(value record stat))) 2 9
	trace "by libkutrace" device.trace
	is_count "marks by the call" "$(marks_of "$OUT/4k.trace" record | wc -l)" $((marks + 2))
	is "the same marks" "$(marks_of "$OUT/4k.trace" record)" \
		"$(marks_of "$OUT/device.trace" device)"
	is_count "names by the call" "$(locks_of "$OUT/4k.trace" | wc -l)" $((names + 1))
	is "the same names" "$(locks_of "$OUT/4k.trace")" "$(locks_of "$OUT/device.trace")"
	like "the host's name, registered while off" \
		"$(awk '!/^#/ && NF == 5 && $3 % 4096 > 255 { print $5 }' "$OUT/4k.trace.events")" \
		callhost
	like "the program's name, registered while off" "$(awk -v pid="$(value record pid)" '
		!/^#/ && NF == 5 && $4 == pid { print $5 }' "$OUT/4k.trace.events")" callprog

	said "wrap" wrap wrapped 1 rest 0 dump-refused-4k 0 dump-refused-word 0 names 11
	trace "wrapped" wrap.trace
	ok "wrapped: a dump word by word is the same" cmp "$OUT/wrap.trace" "$OUT/wrapword.trace"
	like "wrapped: checktrace" "$("$BUILD/bin/checktrace" "$OUT/wrap.trace" 2>&1)" "wrapped"
	is_count "wrapped: names survive" "$(locks_of "$OUT/wrap.trace" | wc -l)" 12
	is "wrapped: the last marks, none missing" "$(marks_of "$OUT/wrap.trace" wrap |
		event_awk '$1 == EV_MARKD { if (last && $2 != last + 1) bad++; last = $2; n++ }
			END { print bad + 0, last, (n > 100000) }')" "0 $((many - 1)) 1"
	is "wrapped: each CPU's blocks in the order of their times" "$(
		od -An -v -tx8 -w65536 "$OUT/wrap.trace" | cut -d ' ' -f 2 |
		awk -v skip=$(($(value wrap blocks) - $(value wrap stat))) '
		NR > skip { cpu = substr($1, 1, 2); n++
			bad += ($1 "") < (last[cpu] ""); last[cpu] = $1 }
		END { print bad + 0, n }')" "0 $(value wrap stat)"
	said "wrap, but not full" nowrap wrapped 0 dump-refused-4k 0
	trace "wrap, but not full" nowrap.trace
	is "wrap, but not full: flags" "$(od -An -tx1 -j15 -N1 "$OUT/nowrap.trace")" " 03"

	trace "marks by the call: a recording by the device" both.trace
	is "marks by the call in a recording by the device" "$(marks_of "$OUT/both.trace" mark)" \
		"$(marks_of "$OUT/4k.trace" record)"
	is "returns of the control call are not merged into the previous call" "$(event_awk -v call="$(syscall_event getuid)" '
		!/^#/ && ($3 == call || $3 == call + EV_RETURN_BIT) { n++; bad += $8 != 0 }
		END { print bad + 0, (n >= 1009) }' "$OUT/both.trace.events")" "0 1"

	trace "beside another recording with the same unit of time" hundred.trace
	is_count "beside another recording with the same unit of time: marks" \
		"$(marks_of "$OUT/hundred.trace" hundred | wc -l)" 102
	trace "beside another recording" second.trace
	is "beside another recording: marks" "$(marks_of "$OUT/second.trace" second)" \
		"$(marks_of "$OUT/4k.trace" record)"
	trace "the other recording" beside.trace
	is_count "the other recording: numbered marks" \
		"$(marks_of "$OUT/beside.trace" second | grep -c "^$EV_MARKD ")" \
		"$(marks_of "$OUT/second.trace" second | grep -c "^$EV_MARKD ")"

	said "refused" refuse reset 0 on 1 inserted 0 unknown 0 off 0 inserted-from-nowhere 0 \
		copied-to-nowhere 0 count-positive 1 last-word 0 beyond 0 ipc-word 0 \
		ipc-4k 4096 set 0 stranger 0 own 0 on-again 1 flush-ends 1 reset-ends 1 \
		reset-ipc -1 on-after -1 count-after 0 reset-llc -1 reset-unknown -1 on-another 1 \
		end-another 1 reset-good 0 on-good 1 off-good 0
	like "refused: the log has the reason" "$(cat "$OUT/dmesg")" \
		"call: cannot reset the recording with flags 0x1: error [0-9]+; not recording"
	like "refused: the log has the reason for an unknown flag" "$(cat "$OUT/dmesg")" \
		"call: cannot reset the recording with flags 0x10: error 22; not recording"
	for command in 0 1 2 3 4 5 6 7 8 9 12 13 14 15 16; do
		said "a user" user command-$command -1
	done
	said "a user" user command-10 1 command-11 4 insert1-off -1 insertn-off -1 \
		context-switch -1
	for command in 0 1 2 3 4 5 6 8 9 12 13 14 15 16; do
		said "a user who may mark" marks command-$command -1
	done
	said "a user who may mark" marks command-7 1 command-10 1 command-11 4 insert1-off -1 \
		insertn-off -1 context-switch -1
	# there is only the main session, which belongs to root
	for command in 0 1 2 3 4 5 6 8 9 12 13 14 15 16; do
		said "a user of the group" group command-$command -1
	done
	said "a user of the group" group command-7 0 command-10 0 command-11 4 insert1-off -1 \
		insertn-off -1 context-switch -1

	said "libkutrace by the device" device module 1 version 4 reset 0 names $names on 0 test 1 \
		addname 0 flush-while-on -16 stop 0
	said "libkutrace by the call" fallback module 1 version 4 reset 0 names $names on 0 \
		test 1 addname 0 flush-while-on -16 stop 0
	trace "libkutrace by the call" fallback.trace
	is "libkutrace by the call: the same marks" "$(marks_of "$OUT/fallback.trace" fallback)" \
		"$(marks_of "$OUT/device.trace" device)"
	is "libkutrace by the call: the same names" "$(locks_of "$OUT/fallback.trace")" \
		"$(locks_of "$OUT/device.trace")"
	said "libkutrace by the call, wrap" fallwrap names 11 stop 0
	trace "libkutrace by the call, wrap" fallwrap.trace
	is "libkutrace by the call, wrap: the last marks, none missing" \
		"$(marks_of "$OUT/fallwrap.trace" fallwrap | event_awk '
		$1 == EV_MARKD { if (last && $2 != last + 1) bad++; last = $2; n++ }
		END { print bad + 0, last, (n > 100000) }')" "0 $((many - 1)) 1"
	is_count "libkutrace by the call, wrap: names survive" \
		"$(locks_of "$OUT/fallwrap.trace" | wc -l)" 12
	trace "kutrace_control run by the call" run.trace
	is_count "kutrace_control run by the call: marks" \
		"$(grep -c ' mark_c=run ' "$OUT/run.trace.events")" 37
	like "kutrace_control status by the call" "$(cat "$OUT/state")" "patched kernel"
	trace "kutrace_control go by the call" go.trace
	is_count "kutrace_control go by the call: marks" \
		"$(grep -c ' mark_c=go ' "$OUT/go.trace.events")" 41
	is "kutrace_control go by the call: no marks of a user without the right" "$(grep -c ' mark_c=nobody ' "$OUT/go.trace.events")" 0
	trace "where all may mark" marks.trace
	is_count "where all may mark: a user's marks" \
		"$(grep -c ' mark_c=nobody ' "$OUT/marks.trace.events")" 47
	for failed in "go already recording" "reset already recording" \
		"snapshot needs /dev/kutrace/control" "stream needs /dev/kutrace/control" \
		"goipc no hardware counters are available" \
		"user no permission" "absent module not loaded"; do
		like "by the call: ${failed%% *}" "$(cat "$OUT/${failed%% *}.err")" "${failed#* }"
	done
fi

# --- many calls at the same time, while the module is loaded and unloaded ---
cat >"$TAP_TMP/churn" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko mb=2
for wrap in 0 1; do
	for who in 1 2; do
		call record /tmp/a$who /tmp/b$who own 101 501 $wrap >/dev/null &
		call refuse >/dev/null &
	done
	kutrace_control go >/dev/null 2>&1 || true
	kutrace_control stop /tmp/t >/dev/null 2>&1 || true
	wait
done
(i=0; while [ $i -lt 10 ]; do
	i=$((i + 1))
	call mark x 500 >/dev/null
	call refuse >/dev/null
done) &
# a call in progress keeps the module, so rmmod can fail
for round in 1 2 3 4 5; do
	until rmmod kutrace 2>/dev/null; do usleep 1000; done
	insmod /lib/kutrace.ko mb=2
done
wait
kutrace_control off
call record /out/after.trace /out/after2.trace own 101 11 0 >/out/after.said
rmmod kutrace
SCRIPT
# shellcheck disable=SC2086
if guest_run "$TAP_TMP/churn" --cpus 2 --timeout 300 $prog; then
	said "after loading and unloading" after on 1 names 11 dump-refused-4k 0 dump-refused-word 0
	trace "after loading and unloading" after.trace
fi

# --- a kernel without the call ---
. "$BUILD/guest/env"
cat >"$TAP_TMP/stock" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko mb=2
call ask >/out/stock.said
rm -r /dev/kutrace
must_fail kutrace_control status 2>/out/stock.err
marker nothing 2
SCRIPT
# shellcheck disable=SC2086
if guest_run "$TAP_TMP/stock" --cpus 2 $prog; then
	said "a stock kernel" stock version -1 enosys 1
	like "a stock kernel without the device" "$(cat "$OUT/stock.err")" \
		"the module is loaded, but /dev/kutrace/control is missing"
fi
tap_end
