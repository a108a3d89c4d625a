#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 40
#
# Streams to a receiver on another machine, which is a network namespace: over TCP to a systemd socket, socat and
# stunnel with certificates, ssh; rotated files by rsync and rclone. Receivers are killed and stopped, their disk gets
# full, the link is cut: what was acknowledged is there, each block once, and what is missing is what the trace
# says it lacks. The recording is tests/cli/recording.c's; a real one: tests/guest/test_stream.sh.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

built "$BUILD/tests/recording"
top=$(pwd)
control=$(realpath "$BIN/kutrace_control") recording=$(realpath "$BUILD/tests/recording")
export KUTRACE_TEST_RECORDING=$TAP_TMP/recording PATH=$PATH:/usr/sbin:/sbin
near=kutrace-near-$$ far=kutrace-far-$$

# recorded TAKEN RECORDING [BLOCKS]: so many blocks by now
recorded()
{
	echo "$1 $2 ${3:-2048}." >"$TAP_TMP/recording.new"
	mv "$TAP_TMP/recording.new" "$TAP_TMP/recording"
}

# until_so TEXT CMD...: waits, a minute at most, until that is so
until_so()
{
	_what=$1
	shift
	for _ in $(seq 1200); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	fail "$_what" "not within a minute: $*; said: $(cat "$TAP_TMP"/said 2>/dev/null)"
	return 1
}

# blocks FILE...: which are in the traces, as ranges, each of them whole; "2x5" where block 5 is there twice
blocks()
{
	for _file in "$@"; do
		"$BIN/rawtoevent" "$_file" 2>"$TAP_TMP/read" || { echo "$_file: $(cat "$TAP_TMP/read")"; return; }
	done | awk '$3 == 525 { n[$7]++ }
		END { for (b in n) print b, n[b] / 8186 }' | sort -n | awk '
		function put() { if (!from) return; printf "%s%s", sep, from == to ? from : from "-" to; sep = " " }
		$2 != 1 { printf "%s%sx%s", sep, $2, $1; sep = " "; next }
		$1 != to + 1 || !from { put(); from = $1 }
		{ to = $1 }
		END { put(); print "" }'
}
# run_until TEXT OPTION...: a stream of a recording that has ended, to where it never arrives: it is told to
# give up when it has said that, and all of it waits there (the way in is closed: no pipe has both its ends here)
run_until()
{
	_text=$1
	shift
	: >"$ERR"
	env --default-signal=TERM "$recording" stream --patience 1 "$@" </dev/null >"$OUT" 2>"$ERR" &
	_pid=$!
	until_so "all is taken" all_taken
	kill -TERM $_pid
	STATUS=0
	wait $_pid || STATUS=$?
}
all_taken()
{
	grep -q "$_text" "$ERR" && [ -z "$(find "/proc/$_pid/fd" -lname 'pipe:*' -printf '%l\n' | sort | uniq -d)" ]
}
traces()
{
	find "$1" -name "*.trace*" ! -name "*.part" | sort
}

# --- without a network: what the receiver takes, and what not ---

mkdir "$TAP_TMP/in"
receive() { printf "$1" >"$TAP_TMP/sent"; run "$TAP_TMP/sent" "$control" receive "$TAP_TMP/in"; }
receive 'kutrace-stream 1 a-1 0\n5\nhelloend 5\n'
is "a whole one: exit status" "$STATUS" 0
like "a whole one is kept" "$(tr '\n' ' ' <"$OUT")" '^kept 0 (kept 5 )?whole 5 $'
is "under its name" "$(ls -A "$TAP_TMP/in")" a-1.trace
is "for its owner only" "$(stat -c %a "$TAP_TMP/in/a-1.trace")" 600
receive 'kutrace-stream 1 a-1 0\n5\nworldend 5\n'
is "again: it is there" "$STATUS $(cat "$OUT") $(cat "$TAP_TMP/in/a-1.trace")" "0 whole 5 hello"
receive 'kutrace-stream 1 a-2 0\n5\nhel'
is "cut off: exit status" "$STATUS" 1
is "what came is kept" "$(tail -n 1 "$OUT")" "kept 3"
like "and it says so" "$(cat "$ERR")" 'a-2.part has 3 bytes, and waits for the rest$'
is "without the name of a whole one" "$(ls -A "$TAP_TMP/in" | tr '\n' ' ')" "a-1.trace a-2.part "
receive 'kutrace-stream 1 a-2 9\n'
is "what it kept is no longer there" "$STATUS $(cat "$OUT")" "1 gone 3"
receive 'kutrace-stream 1 a-2 2\n4\nlloXend 5\n'
is "it goes on where the sender says" "$STATUS $(cat "$TAP_TMP/in/a-2.trace")" "0 hello"
receive 'kutrace-stream 1 a-3 0\nend 0\n'
is "nothing is no trace" "$STATUS $(ls "$TAP_TMP/in" | tr '\n' ' ')" "0 a-1.trace a-2.trace "
for wrong in '' 'GET / HTTP/1.0\n\n' 'kutrace-stream 2 a 0\n' 'kutrace-stream 1 ../a 0\n' 'kutrace-stream 1 .a 0\n' \
	'kutrace-stream 1 a/b 0\n' 'kutrace-stream 1 a -1\n' 'kutrace-stream 1 a\n' 'kutrace-stream 1 a 0 0\n' \
	'kutrace-stream 1 b-1 0\n70000\n' 'kutrace-stream 1 b-2 0\n-5\n' 'kutrace-stream 1 b-3 0\n2\nabend 9\n' \
	'kutrace-stream 1 b-4 0\nend x\n' "kutrace-stream 1 $(printf 'a%.0s' $(seq 200)) 0\n" \
	"$(printf 'x%.0s' $(seq 500))"; do
	receive "$wrong"
	is "no sense: '$(echo "$wrong" | cut -c1-30)'" "$STATUS $(traces "$TAP_TMP/in" | wc -l)" "1 2"
done
ln -s "$TAP_TMP/elsewhere" "$TAP_TMP/in/c-1.part"
receive 'kutrace-stream 1 c-1 0\n5\nhelloend 5\n'
ok "no link is followed" test "$STATUS" = 1 -a ! -e "$TAP_TMP/elsewhere"
run /dev/null "$control" receive "$TAP_TMP/no/such"
expect "no such folder" 1 'receive: cannot write into .*: No such file'

# a command carries it; several traces when it rotates, each block in one of them
mkdir "$TAP_TMP/through" "$TAP_TMP/several"
recorded 20 0
run /dev/null "$recording" stream --through "$control receive $TAP_TMP/through"
expect "through a command" 0 'stream: 20 blocks, 1344 KB, 0 blocks lost'
is "all of it" "$(blocks $(traces "$TAP_TMP/through"))" 1-20
like "it is called by host, time and chance" "$(ls "$TAP_TMP/through")" "^[A-Za-z0-9_.-]+-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{16}\.trace$"
recorded 200 0
run /dev/null "$recording" stream --through "$control receive $TAP_TMP/several" --rotate 3
expect "rotating" 0 '200 blocks, [0-9]* KB, 0 blocks lost'
between "it becomes several" "$(traces "$TAP_TMP/several" | wc -l)" 2 10
is "each block is in one of them" "$(blocks $(traces "$TAP_TMP/several"))" 1-200
recorded 20 0
run_until 'connection is broken' --through false
expect "nobody at the other end" 1 'connection is broken: trying again'
like "it says what may be missing" "$(cat "$ERR")" 'has not said that it has all: 20 blocks may be missing there$'

# what it does not ignore: a signal that we ignore for ourselves would not end it, either
mkdir "$TAP_TMP/signals"
recorded 2 0
run /dev/null env --default-signal=PIPE,XFSZ "$recording" stream --through \
	"grep ^SigIgn: /proc/self/status >$TAP_TMP/ignored; exec $control receive $TAP_TMP/signals"
expect "a command that says what it ignores" 0 'stream: 2 blocks'
is "it has SIGPIPE and SIGXFSZ as they come" \
	"$((0x$(cut -f 2 "$TAP_TMP/ignored") & (1 << 12 | 1 << 24)))" 0
# what it says goes to a terminal: characters as they are, others as ?
recorded 2 0
run_until 'the receiver' --through "printf 'voll: Ger\303\244t \033[2J\302\233\n'; sleep 60"
expect "an odd answer" 1 '^kutrace_control: stream: .*: the receiver: voll: Gerät \?\[2J\?: trying again$'

# rotated files have their names when they are whole, and are not written over
mkdir "$TAP_TMP/spool" "$TAP_TMP/fetched"
recorded 100 0
for _ in 1 2; do
	run /dev/null "$recording" stream -o "$TAP_TMP/spool/x.trace" --rotate 3 --state "$TAP_TMP/spool.state"
	recorded 150 0
done
is "no part is left" "$(find "$TAP_TMP/spool" -name '*.part' | wc -l)" 0
is "all blocks, once, of two streams" "$(blocks $(traces "$TAP_TMP/spool"))" 1-150
recorded 20 1
"$recording" stream -o "$TAP_TMP/fetched/y.trace" --rotate 1s 2>"$ERR" &
_pid=$!
until_so "a first file by time" test -e "$TAP_TMP/fetched/y.trace.0001.part"
for taken in 40 60 80; do
	recorded $taken 1
	sleep 0.5
done
until_so "a whole file by time" test -e "$TAP_TMP/fetched/y.trace.0001"
recorded 90 0
wait $_pid
is "by time: all blocks" "$(blocks $(traces "$TAP_TMP/fetched"))" 1-90
between "by time: files" "$(traces "$TAP_TMP/fetched" | wc -l)" 2 5
rm -r "$TAP_TMP/fetched"
for tool in "rsync -a --exclude=*.part --remove-source-files" "rclone move --exclude=*.part"; do
	name=${tool%% *}
	if ! command -v "$name" >/dev/null; then
		skip "$name" "not installed"
		continue
	fi
	mkdir "$TAP_TMP/fetched"
	cp -r "$TAP_TMP/spool" "$TAP_TMP/moved"
	echo growing >"$TAP_TMP/moved/x.trace.9999.part"
	# shellcheck disable=SC2086 # several words
	ok "$name carries them" env HOME="$TAP_TMP" $tool "$TAP_TMP/moved/" "$TAP_TMP/fetched/"
	is "$name: all blocks" "$(blocks $(traces "$TAP_TMP/fetched"))" 1-150
	is "$name: what grows stays" "$(find "$TAP_TMP/moved" -type f)" "$TAP_TMP/moved/x.trace.9999.part"
	rm -r "$TAP_TMP/fetched" "$TAP_TMP/moved"
done
full=$(realpath "$TAP_TMP")/full
mkdir "$full"
if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=2m none "$full" 2>/dev/null; then
	skip "a full disk" "not root, or no mounts here"
	tap_end
fi
at_end() { umount -l "$full" 2>/dev/null; ip netns del $near 2>/dev/null; ip netns del $far 2>/dev/null; }
pids=
trap 'kill $pids 2>/dev/null; at_end; tap_cleanup' EXIT

# a full disk under rotated files: what is in them is whole, the rest is sent the next time
recorded 100 0
rm -f "$TAP_TMP/spool.state"
run /dev/null "$recording" stream -o "$full/z.trace" --rotate 1 --state "$TAP_TMP/spool.state"
expect "a full disk" 1 'no space left on the disk'
mkdir "$TAP_TMP/rest"
run /dev/null "$recording" stream -o "$TAP_TMP/rest/z.trace" --rotate 64 --state "$TAP_TMP/spool.state"
is "a full disk: each block is in one of the files" "$(blocks $(traces "$full" | grep -v '\.part') $(traces "$TAP_TMP/rest"))" 1-100
rm "$full"/*

# The network is make check's: it waits for most of a minute.
[ -z "${KUTRACE_FAST-}" ] || tap_end

# --- two machines ---

if ! command -v ip >/dev/null || ! ip netns add $near 2>/dev/null; then
	skip "network namespaces" "no ip, or not allowed to make them"
	tap_end
fi
ip netns add $far
nsenter --net=/run/netns/$near ip link add eth0 type veth peer name eth0 netns $far
nsenter --net=/run/netns/$near ip addr add 10.77.0.1/24 dev eth0
nsenter --net=/run/netns/$far ip addr add 10.77.0.2/24 dev eth0
for machine in $near $far; do
	nsenter --net=/run/netns/$machine ip link set lo up
	nsenter --net=/run/netns/$machine ip link set eth0 up
done
on_far() { nsenter --net=/run/netns/$far "$@"; }
listening() { on_far cat /proc/net/tcp /proc/net/tcp6 | grep -q ": [0-9A-F]*:$(printf %04X "$1") [0-9A-F]*:0000 0A "; }
# serve PORT CMD...: runs it there until the end
serve()
{
	_port=$1
	shift
	nsenter --net=/run/netns/$far "$@" >"$TAP_TMP/served.$_port" 2>&1 &
	pids="$pids $!"
	until_so "port $_port" listening "$_port"
}

if ! command -v systemd-socket-activate >/dev/null; then
	skip "a systemd socket" "no systemd-socket-activate"
	tap_end
fi
# as kutrace-receive.socket and @.service do it: a receiver for each connection
dir=$TAP_TMP/far
mkdir "$dir" "$TAP_TMP/narrow"
serve 7777 systemd-socket-activate -l 10.77.0.2:7777 --accept --inetd "$control" receive "$dir"
serve 7778 systemd-socket-activate -l 10.77.0.2:7778 --accept --inetd "$control" receive "$full"

# begin PORT OPTION...: a stream to it, in the background; ended: its end
begin()
{
	_port=$1
	shift
	: >"$TAP_TMP/said"
	nsenter --net=/run/netns/$near "$recording" stream --connect "10.77.0.2:$_port" --acknowledged --patience 2 "$@" 2>"$TAP_TMP/said" &
	stream=$!
}
ended()
{
	STATUS=0
	wait $stream || STATUS=$?
	cp "$TAP_TMP/said" "$ERR"
}
bytes_in() { find "$1" -name '*.part' -size +"$2"k | grep -q .; }
said() { grep -q "$1" "$TAP_TMP/said"; }
receivers() { pgrep -f "^$control receive $1\$"; }

recorded 20 0
begin 7777
ended
expect "a systemd socket" 0 '^kutrace_control: stream: 20 blocks, 1344 KB, 0 blocks lost'
is "a systemd socket: all of it" "$(blocks $(traces "$dir"))" 1-20
is "nothing else was said" "$(wc -l <"$ERR")" 1
rm "$dir"/*

# killed again and again; each time some of it is kept, and that does not change any more
recorded 20 1
begin 7777
until_so "it is on its way" bytes_in "$dir" 1000
for taken in 100 200 300 400; do
	recorded $taken 1
	until_so "some of it" bytes_in "$dir" $(((taken - 60) * 64))
	kill -KILL $(receivers "$dir") 2>/dev/null
	until_so "it notices" said "connection is broken"
	cp "$dir"/*.part "$TAP_TMP/kept.$taken"
done
ok "no part looks whole" test -z "$(traces "$dir")"
recorded 440 0
ended
expect "a killed receiver" 0 'goes on'
is "a killed receiver: one trace, each block once" "$(traces "$dir" | wc -l): $(blocks $(traces "$dir")), $(ls "$dir" | grep -c part)" "1: 1-440, 0"
for taken in 100 200 300 400; do
	ok "what was there at $taken is there" cmp -n "$(stat -c %s "$TAP_TMP/kept.$taken")" "$TAP_TMP/kept.$taken" "$(traces "$dir")"
done
rm "$dir"/* "$TAP_TMP"/kept.*

# one that does not answer any more, and goes on long after another has taken its place
recorded 20 1
begin 7777
until_so "it is on its way" bytes_in "$dir" 1000
old=$(receivers "$dir")
kill -STOP $old
recorded 100 1
until_so "it notices" said "no answer for 2 s"
until_so "another takes over" bytes_in "$dir" 5000
kill -CONT $old
recorded 200 0
ended
expect "a receiver that stood still" 0 'goes on'
is "a receiver that stood still: one trace, each block once" "$(traces "$dir" | wc -l): $(blocks $(traces "$dir"))" "1: 1-200"
rm "$dir"/*

# the link is cut for longer than the buffer holds: what was overwritten is said in the trace
recorded 20 1 64
begin 7777
until_so "it is on its way" bytes_in "$dir" 1000
nsenter --net=/run/netns/$near ip link set eth0 down
for taken in $(seq 40 20 400); do
	recorded "$taken" 1 64
	sleep 0.1
done
until_so "it notices" said "trying again"
nsenter --net=/run/netns/$near ip link set eth0 up
recorded 420 1 64
until_so "it goes on" said "goes on"
recorded 430 0 64
ended
expect "the link is cut: it goes on" 0 'goes on'
trace=$(traces "$dir")
"$BIN/checktrace" "$trace" >"$TAP_TMP/check" 2>&1
got=$("$BIN/rawtoevent" "$trace" 2>/dev/null | awk '$3 == 525 { n[$7]++ } END { for (b in n) { k++; if (n[b] != 8186) k += 1000 } print k }')
lost=$(sed -n 's/.* \([0-9]*\) blocks lost$/\1/p' "$ERR")
between "blocks lost" "$lost" 1 400
is "the link is cut: what came and what was lost is all" $((got + lost)) 430
is "the trace says what it lacks" "$(sed -n 's/^lost: \([0-9]*\) events.*stream_blocks=\([0-9]*\);.*/\1 \2/p' "$TAP_TMP/check")" "$lost $lost"
like "so does the page's header" "$("$BIN/rawtohtml" --json "$trace" 2>/dev/null | grep '"lost"')" "\"stream_blocks\" *: *$lost[,}]"
like "and who follows the stream" "$(cat "$trace" | "$BIN/rawtoevent" -f 2>/dev/null | sort -n | "$BIN/eventtospan" x 2>/dev/null | grep '"lost"')" \
	"\"stream_blocks\" *: *$lost[,}]"
rm "$dir"/*

# the disk is full: it waits, and goes on when there is room
recorded 100 1
begin 7778
until_so "the disk is full" said "No space left on device"
is "a full disk: nothing looks whole" "$(traces "$full")" ""
mount -o remount,size=64m "$full"
recorded 110 0
ended
expect "a full disk: it goes on" 0 'goes on'
is "a full disk: all of it" "$(blocks $(traces "$full"))" 1-110
is "said once" "$(grep -c 'No space left' "$ERR")" 1
rm "$full"/*
mount -o remount,size=2m "$full"

# it stays full, and the sender is asked to end: what is not kept is in --state for the next one
recorded 100 0
rm -f "$TAP_TMP/state"
begin 7778 --state "$TAP_TMP/state" --patience 1
until_so "the disk is full" said "No space left on device"
kill -TERM $stream
ended
expect "given up" 1 'has not said that it has all: [0-9]* blocks may be missing there'
cp "$full"/*.part "$TAP_TMP/narrow/part.trace"
truncate -s $(($(stat -c %s "$TAP_TMP/narrow/part.trace") / 65536 * 65536)) "$TAP_TMP/narrow/part.trace"
run /dev/null "$recording" stream -o "$TAP_TMP/narrow/rest.trace" --state "$TAP_TMP/state"
both="$(blocks "$TAP_TMP/narrow/part.trace") $(blocks "$TAP_TMP/narrow/rest.trace")"
is "given up: none is missing" "$(echo "$both" | tr ' ' '\n' | awk -F- '{ for (i = $1; i <= ($2 ? $2 : $1); i++) n[i] = 1 }
	END { for (i = 1; i <= 100; i++) if (!n[i]) printf " %d", i }')" ""
unlike "those that were kept are not sent again" "$(blocks "$TAP_TMP/narrow/rest.trace")" '^1-'
rm "$full"/* "$TAP_TMP/narrow"/*

# a killed sender: what it sent is no trace
recorded 20 1
begin 7777
until_so "it is on its way" bytes_in "$dir" 1000
kill -KILL $stream
ended 2>/dev/null
until_so "the receiver notices" grep -q 'waits for the rest' "$TAP_TMP/served.7777"
is "a killed sender: no trace" "$(traces "$dir")" ""
is "a killed sender: what came can be read" "$(cp "$dir"/*.part "$TAP_TMP/narrow/x.trace"; blocks "$TAP_TMP/narrow/x.trace")" 1-20
rm "$dir"/*

# --- what carries it: certificates, ssh ---

certificates()	# a small authority, and what it signs for both sides
{
	cd "$TAP_TMP" || return 1
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=fleet -keyout ca.key -out ca.crt &&
	for who in collector host stranger; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$who -addext "subjectAltName=DNS:$who,IP:10.77.0.2" \
			-keyout $who.key -out $who.csr &&
		openssl x509 -req -in $who.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy -out $who.crt || return 1
		cat $who.key $who.crt >$who.pem
	done
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=stranger -keyout stranger.key -out stranger.crt &&
	cat stranger.key stranger.crt >stranger.pem
	cd "$top"
}
if command -v openssl >/dev/null && certificates >"$OUT" 2>&1; then
	certified=1
else
	certified=
	cd "$top"
	skip "certificates" "openssl could not make them: $(tail -n 1 "$OUT")"
fi
# carried NAME COMMAND: a recording through that command
carried()
{
	rm -f "$dir"/*
	recorded 40 0
	run /dev/null nsenter --net=/run/netns/$near "$recording" stream --through "$2"
	is "$1: exit status" "$STATUS" 0 || cat "$ERR" >&2
	is "$1: all of it" "$(blocks $(traces "$dir"))" 1-40
}
# refused NAME COMMAND: nothing comes of it
refused()
{
	rm -f "$dir"/*
	nsenter --net=/run/netns/$near timeout -s TERM 2 "$recording" stream --patience 1 --through "$2" >"$OUT" 2>&1
	is "$1: nothing of it is there" "$(ls "$dir")" ""
}
if [ -n "$certified" ] && command -v socat >/dev/null; then
	serve 7780 socat "OPENSSL-LISTEN:7780,reuseaddr,fork,cert=$TAP_TMP/collector.pem,cafile=$TAP_TMP/ca.crt,verify=1" \
		"EXEC:$control receive $dir"
	carried "socat" "socat - OPENSSL:10.77.0.2:7780,cert=$TAP_TMP/host.pem,cafile=$TAP_TMP/ca.crt,commonname=collector"
	refused "socat, a stranger" "socat - OPENSSL:10.77.0.2:7780,cert=$TAP_TMP/stranger.pem,cafile=$TAP_TMP/ca.crt,commonname=collector"
else
	skip "socat" "not installed, or no certificates"
fi
if [ -n "$certified" ] && command -v stunnel >/dev/null; then
	cat >"$TAP_TMP/stunnel.far" <<-END
		foreground = yes
		pid =
		[kutrace]
		accept = 10.77.0.2:7781
		connect = 10.77.0.2:7777
		cert = $TAP_TMP/collector.pem
		CAfile = $TAP_TMP/ca.crt
		verifyChain = yes
		requireCert = yes
	END
	cat >"$TAP_TMP/stunnel.near" <<-END
		foreground = yes
		pid =
		[kutrace]
		client = yes
		accept = 127.0.0.1:7777
		connect = 10.77.0.2:7781
		cert = $TAP_TMP/host.pem
		CAfile = $TAP_TMP/ca.crt
		verifyChain = yes
		checkHost = collector
	END
	serve 7781 stunnel "$TAP_TMP/stunnel.far"
	nsenter --net=/run/netns/$near stunnel "$TAP_TMP/stunnel.near" >"$TAP_TMP/stunnel" 2>&1 &
	pids="$pids $!"
	near_listens() { nsenter --net=/run/netns/$near cat /proc/net/tcp | grep -q ': 0100007F:1E61 [0-9A-F]*:0000 0A '; }
	until_so "stunnel here" near_listens
	rm -f "$dir"/*
	recorded 40 0
	run /dev/null nsenter --net=/run/netns/$near "$recording" stream --connect 127.0.0.1:7777 --acknowledged
	is "stunnel: exit status" "$STATUS" 0 || cat "$ERR" >&2
	is "stunnel: all of it" "$(blocks $(traces "$dir"))" 1-40
else
	skip "stunnel" "not installed, or no certificates"
fi
if [ -x /usr/sbin/sshd ] && command -v ssh-keygen >/dev/null; then
	ssh-keygen -q -t ed25519 -N '' -f "$TAP_TMP/host_key"
	ssh-keygen -q -t ed25519 -N '' -f "$TAP_TMP/id"
	echo "command=\"$control receive $dir\",restrict $(cat "$TAP_TMP/id.pub")" >"$TAP_TMP/authorized"
	echo "[10.77.0.2]:7782 $(cat "$TAP_TMP/host_key.pub")" >"$TAP_TMP/known"
	mkdir -p /run/sshd
	serve 7782 /usr/sbin/sshd -D -e -f /dev/null -p 7782 -h "$TAP_TMP/host_key" -o "AuthorizedKeysFile=$TAP_TMP/authorized" \
		-o StrictModes=no -o UsePAM=no -o PermitRootLogin=yes
	carried "ssh" "ssh -T -o BatchMode=yes -i $TAP_TMP/id -o UserKnownHostsFile=$TAP_TMP/known -p 7782 $(id -un)@10.77.0.2"
else
	skip "ssh" "no sshd"
fi
tap_end
