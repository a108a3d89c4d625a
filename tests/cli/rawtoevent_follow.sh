#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# Tests rawtoevent -f on a trace that grows, in a file or a pipe. It prints the same events as for the
# complete trace, in order, and before the trace is complete. Also tests all ends of the input: the
# end of the recording, a signal, a shortened or rotated file, a closed pipe. The trace is a golden
# trace, repeated to 2 MiB.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/rawtoevent
BLOCK=65536
export TZ=UTC
built "$BUILD/bench/gen_trace" "$BUILD/bench/timed"

# blocks FROM COUNT: prints these blocks of the trace.
blocks()
{
	dd if="$TRACE" bs=$BLOCK skip="$1" count="$2" status=none
}

# only FILE: prints the events and names of FILE in an order that does not depend on the time of
# their arrival.
only()
{
	grep -v '^#' "$1" | LC_ALL=C sort
}

# same NAME: passes if the last output equals the output for the complete trace.
same()
{
	only "$OUT" >"$TAP_TMP/got"
	if cmp -s "$TAP_TMP/got" "$TAP_TMP/want"; then
		pass "$1"
	else
		fail "$1" "$(diff "$TAP_TMP/want" "$TAP_TMP/got" | head -n 5)"
	fi
}

# steps_back FILE: counts the events that are earlier than the previous event.
steps_back()
{
	awk '/^[0-9]/ { n += $1 < before; before = $1 } END { print n + 0 }' "$1"
}

# until_true CMD...: waits until CMD succeeds, at most 100 s.
until_true()
{
	local i
	for ((i = 0; i < 1000; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}

# looked_in_vain: succeeds if the follower has read at least twice since the last call, and got at
# most the word with the stop time of the recording.
looked_in_vain()
{
	local bytes calls before=$looked
	read -r bytes calls < <(awk '$1 == "rchar:" { r = $2 } $1 == "syscr:" { print r, $2 }' \
		/proc/$follower/io) || return 1
	looked="$bytes $calls"
	set -- $before
	[ $((calls - $2)) -ge 2 ] && [ $((bytes - $1)) -le $((8 * (calls - $2))) ]
}

# has_read_all: waits until the follower has read all available input. This works only after some
# bytes have been read.
has_read_all()
{
	looked="0 0"
	until_true looked_in_vain || fail "the follower has read what there is" "not in all the time"
}

# ended NAME STATUS REGEX: passes if the follower in the background ends by itself with this
# status and message.
ended()
{
	if ! until_true eval '! kill -0 $follower'; then
		kill -9 $follower
		fail "$1" "it goes on; stderr: $(head -c 300 "$ERR")"
		return 0
	fi
	STATUS=0
	wait $follower || STATUS=$?
	expect "$1" "$2" "$3"
}

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/golden"
"$BUILD/bench/gen_trace" "$TAP_TMP/golden" 2 "$TAP_TMP/whole"
# Makes a copy of the trace in which the recording ends years later, with the same clock rate.
cp "$TAP_TMP/whole" "$TAP_TMP/far"
TRACE=$TAP_TMP/far
times=100000000
stop_counts=$(word "$TRACE" 4) stop_usec=$(word "$TRACE" 5)
for at in 2 3; do
	first=$(word "$TRACE" $at)
	put_word "$TRACE" $((at + 2)) $((first + ($(word "$TRACE" $((at + 2))) - first) * times))
done
n=$(($(stat -c %s "$TRACE") / BLOCK))
between "number of blocks in the trace" $n 20 60

run /dev/null "$TOOL" "$TRACE"
is "the trace with a far end can be read" "$STATUS" 0
only "$OUT" >"$TAP_TMP/want"
run /dev/null "$TOOL" "$TAP_TMP/whole"
same "the trace with a far end has the same events"
STATUS=0
cat "$TRACE" | "$TOOL" -f >"$OUT" 2>"$ERR" || STATUS=$?
expect "a pipe ends" 0 "^rawtoevent: .* events, "
same "a pipe gives the same as a file"
is "a pipe: in order" "$(steps_back "$OUT")" 0
run /dev/null "$TOOL" -f "$TAP_TMP/whole"
expect "a file whose recording has ended" 0 "^rawtoevent: .* events, "
same "a file gives the same with -f"
run "$TAP_TMP/whole" "$TOOL" -f
is "standard input with -f" "$STATUS" 0
same "standard input gives the same"

# --- a growing file ---
grow=$TAP_TMP/grow
blocks 0 3 >"$grow"
$DEFAULTS "$TOOL" -f "$grow" >"$OUT" 2>"$ERR" &
follower=$!
for ((i = 3; i < n - 2; i++)); do
	blocks $i 1 >>"$grow"
done
if until_true test -s "$OUT"; then
	pass "events come before the trace is whole"
else
	fail "events come before the trace is whole" "nothing yet"
fi
until_true eval '[ $(grep -c "^[0-9]" "$OUT") -gt 10000 ]'
grep '^[0-9]' "$OUT" | head -n -1 >"$TAP_TMP/early"
between "events that are there early" "$(wc -l <"$TAP_TMP/early")" 10000 1000000
is "events that are there early are in order" "$(steps_back "$TAP_TMP/early")" 0
# compares with the first events of the complete trace: no other event may come in between
"$TOOL" "$TRACE" 2>/dev/null | grep '^[0-9]' | head -n "$(wc -l <"$TAP_TMP/early")" >"$TAP_TMP/first"
ok "events that are there early are the first ones of the trace" cmp "$TAP_TMP/early" "$TAP_TMP/first"
blocks $((n - 2)) 1 | head -c 1000 >>"$grow"
has_read_all
blocks $((n - 2)) 1 | tail -c +1001 >>"$grow"
blocks $((n - 1)) 1 >>"$grow"
has_read_all
kill -INT $follower
ended "^C ends it" 130 "interrupted; all events that had arrived are printed"
same "all received events are printed, also of a block in two parts"
is "all received events are in order" "$(steps_back "$OUT")" 0

cp "$TRACE" "$grow"
"$TOOL" -f "$grow" >"$OUT" 2>"$ERR" &
follower=$!
has_read_all
put_word "$grow" 4 "$stop_counts"
put_word "$grow" 5 "$stop_usec"
ended "the recorder writes when it stopped: that is the end" 0 "^rawtoevent: .* events, "
same "the recording ends: all events are printed"

cp "$TRACE" "$grow"
"$TOOL" -f "$grow" >"$OUT" 2>"$ERR" &
follower=$!
has_read_all
: >"$grow"
ended "a file that is made shorter" 1 "made shorter while it was followed"
like "a file that is made shorter: the events read before are printed" "$(tail -n 1 "$OUT")" '^# ## DROPPED'

cp "$TRACE" "$grow"
"$TOOL" -f "$grow" >"$OUT" 2>"$ERR" &
follower=$!
has_read_all
mv "$grow" "$grow.1"
cp "$TRACE" "$grow"
ended "a file that is rotated" 0 "another file has this name now"
same "a file that is rotated: the old file is printed to its end"

# --- pipes ---
mkfifo "$TAP_TMP/fifo"
"$TOOL" -f "$TAP_TMP/fifo" >"$OUT" 2>"$ERR" &
follower=$!
exec 8>"$TAP_TMP/fifo" 7<>"$TAP_TMP/fifo"
blocks 0 $n >&8
# the pipe is empty
until_true eval '! read -t 0 -u 7'
kill -TERM $follower
ended "SIGTERM at a pipe that is open still" 143 "interrupted; all events that had arrived are printed"
same "a pipe: all events that had arrived are printed"
exec 8>&- 7<&-

STATUS=0
{ blocks 0 $((n - 1)); blocks $((n - 1)) 1 | head -c 100; } | "$TOOL" -f >"$OUT" 2>"$ERR" || STATUS=$?
expect "a pipe that breaks off inside a block" 1 "cut off in block $((n - 1))"
between "a pipe that ends inside a block: complete blocks are printed" "$(grep -c '^[0-9]' "$OUT")" 10000 1000000
STATUS=0
: | "$TOOL" -f >"$OUT" 2>"$ERR" || STATUS=$?
expect "nothing at all" 1 "standard input: empty, not a trace"
STATUS=0
{ blocks 0 4; head -c $((BLOCK + 8192)) /dev/zero | tr '\0' '\377'; } | "$TOOL" -f >"$OUT" 2>"$ERR" || STATUS=$?
expect "an invalid block" 1 "block 4, word 0.*damaged"
between "an invalid block: the events before it are printed" "$(grep -c '^[0-9]' "$OUT")" 1000 1000000

# the reader has gone, and no more input comes
{ blocks 0 $n; until_true test -s "$TAP_TMP/status"; } | { $DEFAULTS "$TOOL" -f 2>"$ERR"; echo $? >"$TAP_TMP/status"; } | head -n 1 >/dev/null &
piped=$!
if until_true test -s "$TAP_TMP/status"; then
	is "the reader of its output has gone" "$(cat "$TAP_TMP/status") $(cat "$ERR")" "141 "
else
	fail "the reader of its output has gone" "it goes on"
fi
kill $piped 2>/dev/null

# --- a slow CPU, whose blocks come last ---
for cpu in 0 1; do
	for ((i = 0; i < n; i++)); do
		[ $i -gt 6 ] && [ $(($(word "$TRACE" $((i * 8192))) >> 56)) = 1 ] && at=1 || at=0
		[ $at != $cpu ] || blocks $i 1
	done
done >"$TAP_TMP/slow"
{ cat "$TAP_TMP/slow"; } | "$TOOL" -f >"$OUT" 2>"$ERR"
same "blocks of a slow CPU: the same events"
is "blocks of a slow CPU: in order" "$(steps_back "$OUT")" 0
cat "$TAP_TMP/slow" | "$TOOL" -f --lag 0.2 >"$OUT" 2>"$ERR"
same "--lag: the same events"
between "--lag: some are out of order" "$(steps_back "$OUT")" 1 100
like "--lag: the message reports that" "$(cat "$ERR")" '[0-9]+ blocks came too late, the beginning of each is out of order'

# --- memory and disk space do not grow with the amount of input ---
mib=${KUTRACE_FAST:+16}
mib=${mib:-64}
"$BUILD/bench/gen_trace" "$TAP_TMP/golden" "$mib" "$TAP_TMP/big"
mkdir "$TAP_TMP/room"
cat "$TAP_TMP/big" | TMPDIR=$TAP_TMP/room TIMES=$TAP_TMP/times \
	"$BUILD/bench/timed" "$TOOL" -f >/dev/null 2>"$ERR"
read -r _ kib _ <"$TAP_TMP/times"
between "peak memory for $mib MiB, in KiB" "$kib" 100 12000
STATUS=0
(ulimit -f 4096; cat "$TAP_TMP/big" | TMPDIR=$TAP_TMP/room "$TOOL" -f 2>"$ERR" |
	tail -n 1 >"$OUT"; exit ${PIPESTATUS[1]}) || STATUS=$?
expect "4 MiB of temporary file are enough for it" 0 "^rawtoevent: .* events, "
STATUS=0
cat "$TRACE" | TMPDIR=/nonexistent "$TOOL" -f >"$OUT" 2>"$ERR" || STATUS=$?
expect "no place for a temporary file" 1 "^rawtoevent: cannot create a temporary file.*TMPDIR"

for bad in "--lag" "--lag 1" "-f --lag 0" "-f --lag -1" "-f --lag x"; do
	run "$TRACE" "$TOOL" $bad
	expect "$bad is a usage error" 2 "lag"
done
tap_end
