#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# Streams of a running recording to pipes, files and TCP are complete, can be resumed, and count
# losses. The test has streams to a pipe, to files that rotate and over TCP; a stream in wrap mode
# with a buffer that is too small; a stream that is interrupted and resumed; and a stream to a
# receiver that is killed. The filters read each result like any trace.
. tests/guest/lib.sh
guest_begin stream

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# until_listening PORT: waits until a process listens at that TCP port
until_listening()
{
	until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
		grep -q ": [0-9A-F]*:$(printf %04X $1) [0-9A-F]*:0000 0A "; do
		usleep 20000
	done
}
must insmod /lib/kutrace.ko mb=64
ip link set lo up 2>/dev/null

# a whole recording to a pipe, from its beginning to its end
must kutrace_control start
kutrace_control stream 2>/out/pipe.said | cat >/out/pipe.trace &
piped=$!
workload >/out/witness
kutrace_control off
must wait $piped
must kutrace_control dump /out/dump.trace

# A stream in wrap mode, with a buffer that is large enough. Two CPUs choose each block before they
# take it.
must kutrace_control start --wrap
kutrace_control stream 2>/out/wrap.said | cat >/out/wrap.trace &
piped=$!
taskset 1 dd if=/dev/zero of=/dev/null bs=1 count=50000 2>/dev/null &
writing=$!
taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=50000 2>/dev/null
wait $writing
kutrace_control off
must wait $piped
must kutrace_control dump /out/wrapdump.trace

# TCP and rotated files at the same time
must kutrace_control start
nc -l -p 7777 >/out/tcp.trace &
listener=$!
until_listening 7777
kutrace_control stream --connect 127.0.0.1:7777 2>/out/tcp.said &
sender=$!
kutrace_control stream -o /out/rot.trace --rotate 1 2>/out/rot.said &
rotating=$!
dd if=/dev/zero of=/dev/null bs=1 count=150000 2>/dev/null
kutrace_control off
must wait $sender
must wait $rotating
wait $listener

# --listen, interrupted, resumed by its state
must kutrace_control start
kutrace_control stream -o /out/one.trace --state /tmp/state 2>/out/one.said &
first=$!
dd if=/dev/zero of=/dev/null bs=1 count=40000 2>/dev/null
until [ -s /out/one.trace ]; do usleep 20000; done	# the stream has begun
kill -TERM $first
must wait $first
dd if=/dev/zero of=/dev/null bs=1 count=40000 2>/dev/null
kutrace_control off
kutrace_control stream --state /tmp/state --listen 127.0.0.1:7778 2>/out/two.said &
server=$!
until_listening 7778
nc 127.0.0.1 7778 </dev/null >/out/two.trace
must wait $server
kutrace_control stat >/out/resumed.stat

# to a receiver that is killed during the stream
mkdir /out/received
must kutrace_control start
kutrace_control stream --through 'echo $$ >/tmp/receiver; exec kutrace_control receive /out/received' \
	2>/out/received.said &
received=$!
dd if=/dev/zero of=/dev/null bs=1 count=60000 2>/dev/null
until ls -s /out/received | grep -q '[1-9][0-9][0-9] .*part'; do usleep 20000; done
kill -KILL $(cat /tmp/receiver)
dd if=/dev/zero of=/dev/null bs=1 count=60000 2>/dev/null
kutrace_control off
must wait $received
must mv /out/received/*.trace /out/received.trace
must rmdir /out/received
must kutrace_control dump /out/whole.trace
must rmmod kutrace

# a reader that is too slow, in wrap mode
must insmod /lib/kutrace.ko mb=1
must kutrace_control start --wrap
# After the first bytes, the reader waits until the buffer has wrapped.
kutrace_control stream 2>/out/slow.said | {
	dd bs=1 count=16 2>/dev/null
	touch /tmp/begun
	until [ -f /tmp/filled ]; do usleep 20000; done
	cat
} >/out/slow.trace &
slow=$!
until [ -f /tmp/begun ]; do dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null; done
dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null
touch /tmp/filled
kutrace_control off
must wait $slow
must rmmod kutrace
SCRIPT

said()	# FILE WORD: prints the number before that word
{
	sed -n "s/.* \([0-9]*\) $2.*/\1/p" "$OUT/$1.said"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 200; then
	trace_ok "to a pipe" "$OUT/pipe.trace"
	ok "to a pipe: the filters read it" trace_text "$OUT/pipe.trace"
	ev=$OUT/pipe.trace.events
	trace_text "$OUT/dump.trace"
	# Omit names, because the stream may have one more, which identifies a stream.
	for t in pipe dump; do
		event_awk '!/^#/ && $3 >= EV_FIRST { print $3, $4, $5, $7, $8, $10 }' \
			"$OUT/$t.trace.events" | sort >"$TAP_TMP/$t.events"
	done
	is_count "to a pipe: as many events as the dump has" \
		"$(wc -l <"$TAP_TMP/pipe.events")" "$(wc -l <"$TAP_TMP/dump.events")"
	ok "to a pipe: the same events" cmp "$TAP_TMP/pipe.events" "$TAP_TMP/dump.events"
	trace_ok "wrap mode" "$OUT/wrap.trace"
	is "wrap mode: no block lost" "$(said wrap 'blocks lost')" 0
	for t in wrap wrapdump; do
		trace_text "$OUT/$t.trace"
		event_awk '!/^#/ && $3 >= EV_FIRST { print $3, $4, $5, $7, $8, $10 }' \
			"$OUT/$t.trace.events" | sort >"$TAP_TMP/$t.events"
	done
	is_count "wrap mode: as many events as the dump has" \
		"$(wc -l <"$TAP_TMP/wrap.events")" "$(wc -l <"$TAP_TMP/wrapdump.events")"
	ok "wrap mode: the same events" cmp "$TAP_TMP/wrap.events" "$TAP_TMP/wrapdump.events"
	for t in tcp one two; do
		trace_ok "$t" "$OUT/$t.trace"
		ok "$t: the filters read it" trace_text "$OUT/$t.trace"
		is "$t: no block lost" "$(said $t 'blocks lost')" 0
	done
	ls "$OUT" | grep -c '^rot\.trace\.[0-9]*$' >"$TAP_TMP/files"
	between "files when rotating by 1 MB" "$(cat "$TAP_TMP/files")" 2 20
	bad=0
	for t in "$OUT"/rot.trace.[0-9][0-9][0-9][0-9]; do
		"$BUILD/bin/checktrace" "$t" >"$TAP_TMP/check" 2>&1 || bad=$((bad + 1))
	done
	is "each rotated file is a sound trace" "$bad" 0
	is "rotating and TCP sent the same blocks" "$(said rot 'blocks,')" "$(said tcp 'blocks,')"
	is "interrupted and resumed: every block once" \
		$(($(said one 'blocks,') + $(said two 'blocks,'))) \
		"$(sed -n 's/off, \([0-9]*\) of .*/\1/p' "$OUT/resumed.stat")"
	trace_ok "to a receiver" "$OUT/received.trace"
	for t in received whole; do
		trace_text "$OUT/$t.trace"
		event_awk '!/^#/ && $3 >= EV_FIRST { print $3, $4, $5, $7, $8, $10 }' \
			"$OUT/$t.trace.events" | sort >"$TAP_TMP/$t.events"
	done
	is "to a receiver: no block lost" "$(said received 'blocks lost')" 0
	like "to a receiver: the receiver was killed" "$(cat "$OUT/received.said")" 'connection is broken: trying again'
	is_count "to a receiver: as many events as the dump has" \
		"$(wc -l <"$TAP_TMP/received.events")" "$(wc -l <"$TAP_TMP/whole.events")"
	ok "to a receiver: the same events" cmp "$TAP_TMP/received.events" "$TAP_TMP/whole.events"
	between "too slow: blocks lost, and counted" "$(said slow 'blocks lost')" 1 100000
	ok "too slow: the filters read the received blocks" trace_text "$OUT/slow.trace"
fi
tap_end
