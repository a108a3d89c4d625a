#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# needs: patched
# also: debug_users KUTRACE_PATCHED_CONFIG=debug timeout: 900 takes: 20 needs: debug ci
#
# If all users may mark, each user has a limit for definitions of typed tracepoints, for their
# bytes, and for marks per second, so that no user uses up what others need. The user gets the
# resources back when the file is closed, but not while a recording may have an event of the
# definition. The debug kernel checks that no memory is freed while it is read.
. tests/guest/lib.sh
guest_begin users${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=8 marks_all=1 marks_rate=500
must users definitions >/out/definitions
must users bytes >/out/bytes
must users uses >/out/uses
must users ids >/out/ids

must kutrace_control go
must users keep 'kept|'
users more 400 >/out/while
must kutrace_control stop /out/kept.trace
users more 400 >/out/still
# A new recording has no event of the definition, which is then freed.
must kutrace_control go
kutrace_control stop /tmp/none.trace
users more 400 >/out/after

# Two users whose ids have the same hash make marks at the same time.
other=$(users collide 65534)
must kutrace_control go
while [ ! -f /tmp/enough ]; do markrate 65534 0 500 >/dev/null; done &
while ! kutrace_control status --json | grep -q '"rate": [1-9]'; do usleep 10000; done
must markrate $other 100000 20 >/dev/null
touch /tmp/enough
wait
must kutrace_control stop /out/rate.trace
must rmmod kutrace
SCRIPT

cat >"$TAP_TMP/definitions" <<'EXPECTED'
a define a 0 1200: 256 ENOSPC
b define b 0 1200: 256 ENOSPC
b define b 0 10: 10 ok
b define a 0 10: 10 ok
again a define c 0 1200: 256 ENOSPC
20th a define x19 0 256: 256 ok
c define c 0 256: 256 ok
EXPECTED

cat >"$TAP_TMP/uses" <<'EXPECTED'
file define d 0 256: 256 ok
file define d 0 256: 256 ok
file define d 0 256: 0 ENOSPC
again define d 0 256: 256 ok
other define d 0 256: 256 ok
later define d 0 256: 256 ok
EXPECTED

run_on()	# NAME BOOT-OPTION...
{
	name=$1
	shift
	guest_run "$TAP_TMP/script" --timeout 400 --file "$GUEST_BIN/users" \
		--file "$GUEST_BIN/markrate" "$@" || return
	ok "$name: each user has a limit of definitions, and gets it back on close" \
		diff "$TAP_TMP/definitions" "$OUT/definitions"
	ok "$name: each user has a limit of uses, and gets it back on close" \
		diff "$TAP_TMP/uses" "$OUT/uses"
	is "$name: bytes: limits for a user and for all users" \
		"$(grep ^user "$OUT/bytes" | sort | uniq -c | awk '{ print $1, $5 }' | tr '\n' ' ')" \
		"1 0 16 1024 "
	is "$name: a user at the limit" "$(grep ^his "$OUT/bytes")" \
		"his fifth follow u|: 0 ENOSPC"
	is "$name: bytes are available again after the other files are closed" "$(grep ^later "$OUT/bytes")" \
		"later follow u|: 1024 ENOSPC"
	is "$name: neither a known text nor a refused one uses up an id" "$(cat "$OUT/ids")" 256
	is "$name: a definition with recorded events counts during the recording" "$(cat "$OUT/while")" \
		"255 ENOSPC"
	is "$name: the definition counts until the next recording" "$(cat "$OUT/still")" "255 ENOSPC"
	ok "$name: event text" trace_text "$OUT/kept.trace"
	is "$name: the recording has the definition's name" "$(event_awk '!/^#/ && $3 == EV_TPOINT { print $10 }' \
		"$OUT/kept.trace.events")" kept
	is "$name: the next recording frees the definition" "$(cat "$OUT/after")" "256 ENOSPC"
	ok "$name: event text of marks" trace_text "$OUT/rate.trace"
	is "$name: all marks of a user are recorded while another user makes too many" \
		"$(event_awk '!/^#/ && $3 == EV_MARKD && $7 >= 100000' "$OUT/rate.trace.events" | wc -l)" 20
}
on_both_kernels "--cpus 2" "--cpus 2"
tap_end
