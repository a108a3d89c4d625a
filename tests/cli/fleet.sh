#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 40
#
# Tests streams to a receiver on another machine, which a network namespace simulates. They go over
# TCP to a systemd socket, socat, stunnel with certificates, and ssh. Receivers are killed and
# stopped, their disk becomes full, and the network connection is cut. Acknowledged blocks must
# exist exactly once, and missing blocks must be exactly the reported ones. fleet_files.sh tests
# rotated files. tests/cli/recording.c simulates the recording. tests/guest/test_stream.sh tests a
# real recording.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
. tests/cli/fleet.inc

# run_until TEXT OPTION...: streams an ended recording to a receiver that never acknowledges it. When
# the stream has printed TEXT and has no pipe with both ends open, a signal ends the stream. All blocks
# are still unsent then.
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
# --- without a network: input that the receiver accepts or refuses ---

mkdir "$TAP_TMP/in"
receive() { printf "$1" >"$TAP_TMP/sent"; run "$TAP_TMP/sent" "$control" receive "$TAP_TMP/in"; }
receive 'kutrace-stream 1 a-1 0\n5\nhelloend 5\n'
is "a complete trace: exit status" "$STATUS" 0
like "a complete trace: the receiver acknowledges it" "$(tr '\n' ' ' <"$OUT")" '^kept 0 (kept 5 )?whole 5 $'
is "a complete trace: the file has the trace's name" "$(ls -A "$TAP_TMP/in")" a-1.trace
is "a complete trace: only the owner may read the file" "$(stat -c %a "$TAP_TMP/in/a-1.trace")" 600
receive 'kutrace-stream 1 a-1 0\n5\nworldend 5\n'
is "the same trace again: the receiver reports that it has it" "$STATUS $(cat "$OUT") $(cat "$TAP_TMP/in/a-1.trace")" "0 whole 5 hello"
receive 'kutrace-stream 1 a-2 0\n5\nhel'
is "cut off: exit status" "$STATUS" 1
is "the received bytes are stored" "$(tail -n 1 "$OUT")" "kept 3"
like "the message has the number of received bytes" "$(cat "$ERR")" 'cannot complete .*a-2.part: the connection ended after 3 bytes; the next connection continues it$'
is "cut off: the file does not get the trace's name" "$(ls -A "$TAP_TMP/in" | tr '\n' ' ')" "a-1.trace a-2.part "
receive 'kutrace-stream 1 a-2 9\n'
is "the stored bytes are missing: the receiver reports how many it has" "$STATUS $(cat "$OUT")" "1 gone 3"
receive 'kutrace-stream 1 a-2 2\n4\nlloXend 5\n'
is "the receiver continues at the sender's offset" "$STATUS $(cat "$TAP_TMP/in/a-2.trace")" "0 hello"
receive 'kutrace-stream 1 a-3 0\nend 0\n'
is "empty input is no trace" "$STATUS $(ls "$TAP_TMP/in" | tr '\n' ' ')" "0 a-1.trace a-2.trace "
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
run /dev/null "$control" receive "$TAP_TMP/in/a-1.trace"
expect "a file is no folder" 1 'receive: cannot write into .*: Not a directory'

# The name of the trace exists, but not as a file: the trace is not stored, and the .part remains.
printf 'kutrace-stream 1 n-1 0\n5\nhelloend 5\n' >"$TAP_TMP/sent"
for make in "mkdir" "mkfifo" "ln -s /nowhere"; do
	rm -rf "$TAP_TMP/named"
	mkdir "$TAP_TMP/named"
	$make "$TAP_TMP/named/n-1.trace"
	run "$TAP_TMP/sent" "$control" receive "$TAP_TMP/named"
	is "$make has the name: the trace stays a .part" "$STATUS $(grep -c whole "$OUT") $(cat "$TAP_TMP/named/n-1.part" 2>&1)" "1 0 hello"
	like "$make: and the message names the cause" "$(cat "$ERR")" 'receive: cannot name .*/n-1.trace: File exists'
done

# Makes a library to preload, which simulates a file system without RENAME_NOREPLACE and hard links. Immediately after
# receive has created a file with the trace's name, the library moves another file to this name.
cat >"$TAP_TMP/race.c" <<'X'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall"), a[6];
	va_list args;
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_renameat2)
		return errno = EINVAL, -1;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int link(const char *from, const char *to)
{
	(void)from, (void)to;
	return errno = EPERM, -1;
}
static int made(const char *name, const char *path, int flags, int mode)
{
	int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, name), fd = real(path, flags, mode);
	const char *dot = strrchr(path, '.');
	if (fd >= 0 && flags & O_EXCL && dot && !strcmp(dot, ".trace") && rename(getenv("THEIRS"), path))
		abort();
	return fd;
}
#define OPEN(name) int name(const char *path, int flags, ...) \
{ va_list args; va_start(args, flags); int mode = va_arg(args, int); va_end(args); return made(#name, path, flags, mode); }
OPEN(open)
OPEN(open64)
X
ok "another program" ${CC:-cc} -shared -fPIC "$TAP_TMP/race.c" -o "$TAP_TMP/race.so" -ldl
mkdir "$TAP_TMP/race"
echo theirs >"$TAP_TMP/theirs"
printf 'kutrace-stream 1 f-1 0\n5\nhelloend 5\n' >"$TAP_TMP/sent"
run "$TAP_TMP/sent" env LD_PRELOAD="$TAP_TMP/race.so" THEIRS="$TAP_TMP/theirs" "$control" receive "$TAP_TMP/race"
is "another program gives its file the name: that file stays" "$STATUS $(cat "$TAP_TMP/race/f-1.trace" "$TAP_TMP/race/f-1.part" | tr '\n' ' ')" "1 theirs hello"
is "the file of the other program was renamed" "$(ls "$TAP_TMP/theirs" 2>&1 | grep -c 'No such file')" 1
like "another program gives its file the name: the message names the cause" "$(cat "$ERR")" 'receive: cannot name .*/f-1.trace: File exists'

# on a file system without RENAME_NOREPLACE, another file gets the trace's name before the trace is
# complete
if command -v strace >/dev/null; then
	cannot_noreplace="strace -qq -o $TAP_TMP/calls -e trace=renameat2 -e inject=renameat2:error=EINVAL"
	mkdir "$TAP_TMP/old"
	mkfifo "$TAP_TMP/sender"
	$cannot_noreplace "$control" receive "$TAP_TMP/old" <"$TAP_TMP/sender" >"$OUT" 2>"$ERR" &
	exec 9>"$TAP_TMP/sender"
	printf 'kutrace-stream 1 d-1 0\n5\nhello' >&9
	until_so "it is received" grep -q 'kept 5' "$OUT"
	echo theirs >"$TAP_TMP/old/d-1.trace"
	printf 'end 5\n' >&9
	exec 9>&-
	STATUS=0
	wait $! || STATUS=$?
	is "renameat2 could not" "$(grep -c 'EINVAL.*INJECTED' "$TAP_TMP/calls")" 1
	is "without RENAME_NOREPLACE: another file keeps its name" "$STATUS $(cat "$TAP_TMP/old/d-1.trace" "$TAP_TMP/old/d-1.part" | tr '\n' ' ')" \
		"1 theirs hello"
	like "without RENAME_NOREPLACE: the message names the cause" "$(cat "$ERR")" 'receive: cannot name .*/d-1.trace: File exists'
	printf 'kutrace-stream 1 d-2 0\n5\nhelloend 5\n' >"$TAP_TMP/sent"
	run "$TAP_TMP/sent" $cannot_noreplace "$control" receive "$TAP_TMP/old"
	is "without RENAME_NOREPLACE: a new name is given" "$STATUS $(cat "$TAP_TMP/old/d-2.trace") $(ls -A "$TAP_TMP/old" | tr '\n' ' ')" \
		"0 hello d-1.part d-1.trace d-2.trace "

	# the file system has no hard links either
	cannot_link="$cannot_noreplace -e trace=renameat2,?link,linkat -e inject=?link,linkat:error=EPERM"
	mkdir "$TAP_TMP/exfat"
	$cannot_link "$control" receive "$TAP_TMP/exfat" <"$TAP_TMP/sender" >"$OUT" 2>"$ERR" &
	exec 9>"$TAP_TMP/sender"
	printf 'kutrace-stream 1 e-1 0\n5\nhello' >&9
	until_so "it is received" grep -q 'kept 5' "$OUT"
	echo theirs >"$TAP_TMP/exfat/e-1.trace"
	printf 'end 5\n' >&9
	exec 9>&-
	STATUS=0
	wait $! || STATUS=$?
	is "link could not" "$(grep -c 'link.*EPERM.*INJECTED' "$TAP_TMP/calls")" 1
	is "without links: another file keeps its name" "$STATUS $(cat "$TAP_TMP/exfat/e-1.trace" "$TAP_TMP/exfat/e-1.part" | tr '\n' ' ')" \
		"1 theirs hello"
	like "without links: the message names the existing file" "$(cat "$ERR")" 'receive: cannot name .*/e-1.trace: File exists'
	printf 'kutrace-stream 1 e-2 0\n5\nhelloend 5\n' >"$TAP_TMP/sent"
	run "$TAP_TMP/sent" $cannot_link "$control" receive "$TAP_TMP/exfat"
	is "without links: a new name is given" "$STATUS $(tail -n 1 "$OUT") $(cat "$TAP_TMP/exfat/e-2.trace") $(ls -A "$TAP_TMP/exfat" | tr '\n' ' ')" \
		"0 whole 5 hello e-1.part e-1.trace e-2.trace "
	# FUSE (sshfs) and SMB file systems return these errors
	printf 'kutrace-stream 1 s-1 0\n5\nhelloend 5\n' >"$TAP_TMP/sent"
	for error in ENOSYS EOPNOTSUPP; do
		for call in renameat2 '?link,linkat'; do
			rm -rf "$TAP_TMP/share"
			mkdir "$TAP_TMP/share"
			run "$TAP_TMP/sent" $cannot_link -e inject="$call:error=$error" "$control" receive "$TAP_TMP/share"
			is "$call: $error: a name is given" "$(grep -c "$error.*INJECTED" "$TAP_TMP/calls") $STATUS $(cat "$TAP_TMP/share/s-1.trace" 2>&1) $(ls -A "$TAP_TMP/share")" \
				"1 0 hello s-1.trace"
		done
	done
	printf 'kutrace-stream 1 e-3 0\n5\nhelloend 5\n' >"$TAP_TMP/sent"
	run "$TAP_TMP/sent" $cannot_link -e trace=renameat2,?link,linkat,pwrite64 \
		-e inject=pwrite64:error=EIO:when=2 "$control" receive "$TAP_TMP/exfat"
	is "without links: a name that cannot be given is free again" \
		"$STATUS $(cat "$TAP_TMP/exfat/e-3.part") $(ls -A "$TAP_TMP/exfat" | tr '\n' ' ')" \
		"1 hello e-1.part e-1.trace e-2.trace e-3.part "
	# the receiver is killed while the trace's name is an empty file: the .part still has the
	# trace
	: >"$TAP_TMP/exfat/e-3.trace"
	printf 'kutrace-stream 1 e-3 5\nend 5\n' >"$TAP_TMP/sent"
	run "$TAP_TMP/sent" "$control" receive "$TAP_TMP/exfat"
	is "an empty file beside the part is no whole trace" \
		"$STATUS $(grep -c whole "$OUT") $(cat "$TAP_TMP/exfat/e-3.part")" "1 0 hello"
	like "an empty file beside the part: the message names it" "$(cat "$ERR")" 'receive: cannot name .*/e-3.trace: File exists'
	# the receiver is killed while it copies the trace to its name: the first bytes are not
	# written yet
	head -c 10000 /dev/urandom >"$TAP_TMP/random"
	{
		printf 'kutrace-stream 1 e-4 0\n10000\n'
		cat "$TAP_TMP/random"
		printf 'end 10000\n'
	} >"$TAP_TMP/sent"
	run "$TAP_TMP/sent" $cannot_link -e trace=renameat2,?link,linkat,pwrite64 \
		-e inject=pwrite64:error=EIO:signal=KILL:when=3 "$control" receive "$TAP_TMP/exfat"
	is "killed: the copy has no beginning" "$(head -c 4096 "$TAP_TMP/exfat/e-4.trace" | tr -d '\0' | wc -c) $(stat -c %s "$TAP_TMP/exfat/e-4.trace")" "0 10000"
	ok "killed: the part has all" cmp "$TAP_TMP/random" "$TAP_TMP/exfat/e-4.part"
	printf 'kutrace-stream 1 e-4 10000\nend 10000\n' >"$TAP_TMP/sent"
	run "$TAP_TMP/sent" $cannot_link "$control" receive "$TAP_TMP/exfat"
	is "killed: the copy is no whole trace" "$STATUS $(grep -c whole "$OUT")" "1 0"
	ok "killed: the part still has all" cmp "$TAP_TMP/random" "$TAP_TMP/exfat/e-4.part"
	rm "$TAP_TMP/exfat/e-4.trace"
	run "$TAP_TMP/sent" $cannot_link "$control" receive "$TAP_TMP/exfat"
	is "the copy is removed: the part gets the name" "$STATUS $(tail -n 1 "$OUT") $(ls "$TAP_TMP/exfat" | grep e-4)" "0 whole 10000 e-4.trace"
	ok "the copy is removed: the trace has all bytes" cmp "$TAP_TMP/random" "$TAP_TMP/exfat/e-4.trace"
	# the receiver is killed before it removes the .part
	cp "$TAP_TMP/exfat/e-4.trace" "$TAP_TMP/exfat/e-4.part"
	run "$TAP_TMP/sent" $cannot_link "$control" receive "$TAP_TMP/exfat"
	is "the part beside its whole copy: the trace is there" "$STATUS $(cat "$OUT")" "0 whole 10000"
else
	skip "a file system without RENAME_NOREPLACE" "no strace (package strace)"
fi

# a command receives the stream; with rotation there are several traces, and each block is in one of them
mkdir "$TAP_TMP/through" "$TAP_TMP/several"
recorded 20 0
run /dev/null "$recording" stream --through "$control receive $TAP_TMP/through"
expect "through a command" 0 'stream: 20 blocks, 1344 KB, 0 blocks lost'
is "through a command: all of it" "$(blocks $(traces "$TAP_TMP/through"))" 1-20
like "the name of the trace consists of host, time and a random number" "$(ls "$TAP_TMP/through")" "^[A-Za-z0-9_.-]+-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{16}\.trace$"
recorded 200 0
run /dev/null "$recording" stream --through "$control receive $TAP_TMP/several" --rotate 3
expect "rotating" 0 '200 blocks, [0-9]* KB, 0 blocks lost'
between "rotating gives several traces" "$(traces "$TAP_TMP/several" | wc -l)" 2 10
is "rotating: each block is in one of the traces" "$(blocks $(traces "$TAP_TMP/several"))" 1-200
recorded 20 0
run_until 'connection is broken' --through false
expect "the receiver's program ends immediately" 1 'connection is broken: trying again'
like "the message has the number of blocks that may be missing" "$(cat "$ERR")" 'has not acknowledged everything: it may lack 20 blocks$'

# The stream ignores some signals. The command must not inherit this, so that these signals end it.
mkdir "$TAP_TMP/signals"
recorded 2 0
run /dev/null env --default-signal=PIPE,XFSZ "$recording" stream --through \
	"grep ^SigIgn: /proc/self/status >$TAP_TMP/ignored; exec $control receive $TAP_TMP/signals"
expect "a command that prints its ignored signals" 0 'stream: 2 blocks'
is "the command does not ignore SIGPIPE and SIGXFSZ" \
	"$((0x$(cut -f 2 "$TAP_TMP/ignored") & (1 << 12 | 1 << 24)))" 0
# the receiver's text goes to a terminal: printable characters stay, others become ?
recorded 2 0
run_until 'the receiver' --through "printf 'voll: Ger\303\244t \033[2J\302\233\n'; sleep 60"
expect "an odd answer" 1 '^kutrace_control: stream: .*: the receiver: voll: Gerät \?\[2J\?: trying again$'

# make check skips the network tests, which wait for most of a minute; make check-ci runs them.
[ -z "${KUTRACE_FAST-}" ] || tap_end

# --- two machines ---

small_disk
two_machines
if ! command -v systemd-socket-activate >/dev/null; then
	skip "a systemd socket" "no systemd-socket-activate"
	tap_end
fi
# one receiver per connection, as with kutrace-receive.socket and @.service
dir=$TAP_TMP/far
mkdir "$dir" "$TAP_TMP/narrow"
serve 7777 systemd-socket-activate -l 10.77.0.2:7777 --accept --inetd "$control" receive "$dir"
serve 7778 systemd-socket-activate -l 10.77.0.2:7778 --accept --inetd "$control" receive "$full"

# begin PORT OPTION...: starts a stream to that port in the background; ended: waits for its end.
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
begin 7777 --patience 30	# a disk that other programs also use can take seconds
ended
expect "a systemd socket" 0 '^kutrace_control: stream: 20 blocks, 1344 KB, 0 blocks lost'
is "a systemd socket: all of it" "$(blocks $(traces "$dir"))" 1-20
is "a systemd socket: there is no other message" "$(wc -l <"$ERR")" 1
rm "$dir"/*

# the receiver is killed several times, each time after it has acknowledged a part; acknowledged parts
# must not change later
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
expect "a killed receiver" 0 'connected again'
is "a killed receiver: one trace, each block once" "$(traces "$dir" | wc -l): $(blocks $(traces "$dir")), $(ls "$dir" | grep -c part)" "1: 1-440, 0"
for taken in 100 200 300 400; do
	ok "a killed receiver: the bytes acknowledged at $taken are unchanged" cmp -n "$(stat -c %s "$TAP_TMP/kept.$taken")" "$TAP_TMP/kept.$taken" "$(traces "$dir")"
done
rm "$dir"/* "$TAP_TMP"/kept.*

# a receiver stops answering, and continues long after another one has replaced it
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
expect "a receiver that stood still" 0 'connected again'
is "a receiver that stood still: one trace, each block once" "$(traces "$dir" | wc -l): $(blocks $(traces "$dir"))" "1: 1-200"
rm "$dir"/*

# the link is cut for longer than the buffer lasts: the trace reports the overwritten blocks
recorded 20 1 64
begin 7777
until_so "it is on its way" bytes_in "$dir" 1000
on_near ip link set eth0 down
for taken in $(seq 40 20 400); do
	recorded "$taken" 1 64
	sleep 0.1
done
until_so "it notices" said "trying again"
on_near ip link set eth0 up
recorded 420 1 64
until_so "it continues" said "connected again"
recorded 430 0 64
ended
expect "the link is cut: it continues" 0 'connected again'
trace=$(traces "$dir")
"$BIN/checktrace" "$trace" >"$TAP_TMP/check" 2>&1
got=$("$BIN/rawtoevent" "$trace" 2>/dev/null | awk '$3 == 525 { n[$7]++ } END { for (b in n) { k++; if (n[b] != 8186) k += 1000 } print k }')
lost=$(sed -n 's/.* \([0-9]*\) blocks lost$/\1/p' "$ERR")
between "blocks lost" "$lost" 1 400
is "the link is cut: received and lost blocks add up" $((got + lost)) 430
is "the link is cut: the trace reports its losses" "$(sed -n 's/^lost: \([0-9]*\) events.*stream_blocks=\([0-9]*\);.*/\1 \2/p' "$TAP_TMP/check")" "$lost $lost"
like "the link is cut: the page's header has the losses" "$("$BIN/rawtohtml" --json "$trace" 2>/dev/null | grep '"lost"')" "\"stream_blocks\" *: *$lost[,}]"
like "the link is cut: rawtoevent -f reports the losses" "$(cat "$trace" | "$BIN/rawtoevent" -f 2>/dev/null | sort -n | "$BIN/eventtospan" x 2>/dev/null | grep '"lost"')" \
	"\"stream_blocks\" *: *$lost[,}]"
rm "$dir"/*

# the disk is full: the stream waits, and continues when there is space
recorded 100 1
begin 7778 --patience 30
until_so "the disk is full" said "No space left on device"
is "a full disk: nothing looks whole" "$(traces "$full")" ""
mount -o remount,size=64m "$full"
recorded 110 0
ended
expect "a full disk: it continues" 0 'connected again'
is "a full disk: all of it" "$(blocks $(traces "$full"))" 1-110
is "a full disk: one message" "$(grep -c 'No space left' "$ERR")" 1
rm "$full"/*
mount -o remount,size=2m "$full"

# the disk stays full, and a signal ends the sender: the next stream sends the remaining blocks, which --state lists
recorded 100 0
rm -f "$TAP_TMP/state"
begin 7778 --state "$TAP_TMP/state" --patience 1
until_so "the disk is full" said "No space left on device"
kill -TERM $stream
ended
expect "given up" 1 'has not acknowledged everything: it may lack [0-9]* blocks'
cp "$full"/*.part "$TAP_TMP/narrow/part.trace"
truncate -s $(($(stat -c %s "$TAP_TMP/narrow/part.trace") / 65536 * 65536)) "$TAP_TMP/narrow/part.trace"
run /dev/null "$recording" stream -o "$TAP_TMP/narrow/rest.trace" --state "$TAP_TMP/state"
both="$(blocks "$TAP_TMP/narrow/part.trace") $(blocks "$TAP_TMP/narrow/rest.trace")"
is "given up: no block is missing" "$(echo "$both" | tr ' ' '\n' | awk -F- '{ for (i = $1; i <= ($2 ? $2 : $1); i++) n[i] = 1 }
	END { for (i = 1; i <= 100; i++) if (!n[i]) printf " %d", i }')" ""
unlike "given up: acknowledged blocks are not sent again" "$(blocks "$TAP_TMP/narrow/rest.trace")" '^1-'
rm "$full"/* "$TAP_TMP/narrow"/*

# the sender is killed: the partial data does not become a trace
recorded 20 1
begin 7777
until_so "all of it has come" bytes_in "$dir" 1343
before=$(grep -c 'the next connection continues it' "$TAP_TMP/served.7777")	# earlier receivers have printed it too
waits_again() { [ "$(grep -c 'the next connection continues it' "$TAP_TMP/served.7777")" -gt "$before" ]; }
kill -KILL $stream
ended 2>/dev/null
until_so "the receiver notices" waits_again
is "a killed sender: no trace" "$(traces "$dir")" ""
is "a killed sender: the received blocks can be read" "$(cp "$dir"/*.part "$TAP_TMP/narrow/x.trace"; blocks "$TAP_TMP/narrow/x.trace")" 1-20
rm "$dir"/*

# --- transport: certificates, ssh ---

certified=
! certificates || certified=1
# arrives NAME COMMAND: passes if a recording arrives through COMMAND.
arrives()
{
	rm -f "$dir"/*
	recorded 40 0
	run /dev/null nsenter --net=/run/netns/$near "$recording" stream --through "$2"
	is "$1: exit status" "$STATUS" 0 || cat "$ERR" >&2
	is "$1: all of it" "$(blocks $(traces "$dir"))" 1-40
}
# refused NAME COMMAND: passes if no block arrives through COMMAND.
refused()
{
	rm -f "$dir"/*
	on_near timeout -s TERM 2 "$recording" stream --patience 1 --through "$2" >"$OUT" 2>&1
	is "$1: nothing of it is there" "$(ls "$dir")" ""
}
if [ -n "$certified" ] && command -v socat >/dev/null; then
	serve 7780 socat "OPENSSL-LISTEN:7780,reuseaddr,fork,cert=$TAP_TMP/collector.pem,cafile=$TAP_TMP/ca.crt,verify=1" \
		"EXEC:$control receive $dir"
	arrives "socat" "socat - OPENSSL:10.77.0.2:7780,cert=$TAP_TMP/host.pem,cafile=$TAP_TMP/ca.crt,commonname=collector"
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
	near_listens() { on_near cat /proc/net/tcp | grep -q ': 0100007F:1E61 [0-9A-F]*:0000 0A '; }
	until_so "stunnel here" near_listens
	rm -f "$dir"/*
	recorded 40 0
	run /dev/null nsenter --net=/run/netns/$near "$recording" stream --connect 127.0.0.1:7777 --acknowledged
	is "stunnel: exit status" "$STATUS" 0 || cat "$ERR" >&2
	is "stunnel: all of it" "$(blocks $(traces "$dir"))" 1-40
else
	skip "stunnel" "not installed, or no certificates"
fi
if ssh_server 7782 "command=\"$control receive $dir\",restrict"; then
	arrives "ssh" "$ssh -i $TAP_TMP/id $(id -un)@10.77.0.2"
	refused "ssh, a stranger" "$ssh -i $TAP_TMP/stranger_id $(id -un)@10.77.0.2"
fi
tap_end
