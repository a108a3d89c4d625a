#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 80
# timeout: 600
#
# Tests streams into rotated files, and programs that move these files to another machine, which a
# network namespace simulates: rsync by ssh and to its own server, and rclone by WebDAV with
# certificates. Disks become full and the network connection is cut. A file is removed only after it
# has arrived completely, and each block exists once. docs/guide/fleet.md has the commands.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
. tests/cli/fleet.inc

# --- without a network ---

# rotated files get their names when they are complete, and are not overwritten
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
	is "$name: an unfinished file stays" "$(find "$TAP_TMP/moved" -type f)" "$TAP_TMP/moved/x.trace.9999.part"
	rm -r "$TAP_TMP/fetched" "$TAP_TMP/moved"
done
small_disk

# a full disk with rotated files: the files are complete, and the rest is sent by the next stream
recorded 100 0
rm -f "$TAP_TMP/spool.state"
run /dev/null "$recording" stream -o "$full/z.trace" --rotate 1 --state "$TAP_TMP/spool.state"
expect "a full disk" 1 'no space left on the disk'
mkdir "$TAP_TMP/rest"
run /dev/null "$recording" stream -o "$TAP_TMP/rest/z.trace" --rotate 64 --state "$TAP_TMP/spool.state"
is "a full disk: each block is in one of the files" "$(blocks $(traces "$full" | grep -v '\.part') $(traces "$TAP_TMP/rest"))" 1-100
rm "$full"/*

# make check skips the network tests, which wait for most of a minute; make check-ci runs them.
[ -z "${KUTRACE_FAST-}" ] || tap_end

# --- two machines ---

two_machines
at_far=$TAP_TMP/traces at_near=$TAP_TMP/outbox
mkdir "$at_far" "$at_near"
# collect_in DIR: sets the folder in which the other machine stores arriving files.
collect_in() { ln -sfn "$1" "$TAP_TMP/collector"; }

# Each of these functions moves complete files from $at_near to the collector. $1 limits the rate; without $1 there is
# no limit.
by_rsync()
{
	# shellcheck disable=SC2086 # several words
	on_near timeout 60 rsync -a --exclude='*.part' --remove-source-files --timeout=5 ${1:+--bwlimit="$1"} \
		${shell:+-e "$shell"} "$at_near/" "$module/"
}
by_rclone()
{
	on_near env HOME="$TAP_TMP" timeout 60 rclone move --exclude='*.part' --timeout=5s --contimeout=5s --retries=1 \
		--low-level-retries=1 ${1:+--bwlimit="$1"} --ca-cert "$TAP_TMP/ca.crt" --client-cert "$TAP_TMP/${2:-host}.crt" \
		--client-key "$TAP_TMP/${2:-host}.key" --webdav-url https://10.77.0.2:7784 "$at_near/" :webdav:
}

# some_there: succeeds if a file is being transferred, under any name.
some_there() { find "$at_far/" -type f -size +100k | grep -q .; }
# on_its_way: does the same as some_there, and starts the transfer if none is running. On a busy
# machine, a transfer may end because connecting takes too long.
on_its_way()
{
	some_there && return
	[ -n "$_pid" ] && kill -0 "$_pid" && return 1
	$_move 500k >"$TAP_TMP/said" 2>&1 &
	_pid=$!
	return 1
}
# waiting: prints the number of files that are still on the near machine.
waiting() { traces "$at_near" | wc -l; }
# differing FILE...: prints the files that are complete on neither machine.
differing()
{
	for _file in "$@"; do
		cmp -s "$_file" "$at_far/$(basename "$_file")" || cmp -s "$_file" "$at_near/$(basename "$_file")" || echo "$_file"
	done
}

# moved NAME MOVE: moves files with the function MOVE while faults happen. Passes if each block arrives once, and no
# file is removed before it has arrived.
moved()
{
	_name=$1 _move=$2
	rm -rf "${at_far:?}"/* "${at_near:?}"/*
	collect_in "$at_far"
	cp -p "$TAP_TMP/spool"/x.trace.* "$at_near"
	echo growing >"$at_near/x.trace.9999.part"

	# the link is cut in the middle of a file
	_pid=
	until_so "$_name: it is on its way" on_its_way
	on_near ip link set eth0 down
	STATUS=0
	wait $_pid || STATUS=$?
	between "$_name: the link is cut: an error" "$STATUS" 1 255
	between "$_name: the link is cut: files that have not arrived" "$(waiting)" 1 "$(traces "$TAP_TMP/spool" | wc -l)"
	# shellcheck disable=SC2046 # several names
	is "$_name: the link is cut: none is in neither place" "$(differing $(traces "$TAP_TMP/spool"))" ""
	on_near ip link set eth0 up
	until_so "$_name: goes on" $_move ""
	is "$_name: goes on: all blocks, once" "$(blocks $(traces "$at_far/"))" 1-150
	is "$_name: an unfinished file stays" "$(ls -A "$at_near")" x.trace.9999.part

	cp -p "$TAP_TMP/spool"/x.trace.* "$at_near"
	collect_in "$full"
	STATUS=0
	$_move "" >"$TAP_TMP/said" 2>&1 || STATUS=$?
	between "$_name: a full disk: an error" "$STATUS" 1 255
	between "$_name: a full disk: files that have not arrived" "$(waiting)" 1 "$(traces "$TAP_TMP/spool" | wc -l)"
	mount -o remount,size=64m "$full"
	until_so "$_name: a full disk: goes on when there is room" $_move ""
	is "$_name: a full disk: all blocks, once" "$(blocks $(traces "$full"))" 1-150
	is "$_name: a full disk: no other file" "$(ls -A "$full" | tr '\n' ' ')" "$(ls -A "$TAP_TMP/spool" | tr '\n' ' ')"
	rm -rf "${full:?}"/*
	mount -o remount,size=2m "$full"
	collect_in "$at_far"

	# Two streams run one after the other, and the second one continues with the blocks after the
	# first one. Their files have different names, because each stream numbers its files from 1.
	rm -rf "${at_far:?}"/* "${at_near:?}"/* "$TAP_TMP/outbox.state"
	recorded 20 1
	for _end in 210 300; do
		"$recording" stream -o "$at_near/$(date +%s.%N).trace" --rotate 1 --state "$TAP_TMP/outbox.state" 2>"$ERR" &
		_pid=$!
		for _taken in $((_end - 40)) $((_end - 20)); do
			recorded "$_taken" 1
			until_so "$_name: beside the stream, at $_taken" $_move ""
		done
		recorded "$_end" 0
		STATUS=0
		wait $_pid || STATUS=$?
		is "$_name: the stream's exit status" "$STATUS" 0
		until_so "$_name: the rest" $_move ""
		is "$_name: nothing is left" "$(ls -A "$at_near")" ""
		recorded "$((_end + 10))" 1
	done
	is "$_name: all blocks of both streams, once" "$(blocks $(traces "$at_far/"))" 1-300
}
# refused NAME CARRY WHO: passes if no file arrives and no file is removed.
refused()
{
	rm -rf "${at_far:?}"/* "${at_near:?}"/*
	cp "$TAP_TMP/spool"/x.trace.0001 "$at_near"
	STATUS=0
	"$2" "" "$3" >"$TAP_TMP/said" 2>&1 || STATUS=$?
	between "$1: an error" "$STATUS" 1 255
	is "$1: nothing of it is there" "$(ls -A "$at_far") $(ls -A "$at_near")" " x.trace.0001"
}

collect_in "$at_far"
cat >"$TAP_TMP/rsyncd.conf" <<-END
	use chroot = no
	[traces]
	path = $TAP_TMP/collector/
	read only = no
	write only = yes
END
[ "$(id -u)" != 0 ] || printf 'uid = root\ngid = root\n' >>"$TAP_TMP/rsyncd.conf"
if ! command -v rsync >/dev/null; then
	skip "rsync" "not installed"
else
	serve 7783 rsync --daemon --no-detach --port=7783 --config="$TAP_TMP/rsyncd.conf" --log-file="$TAP_TMP/rsyncd.log"
	shell='' module=rsync://10.77.0.2:7783/traces
	moved "rsync" by_rsync
	if ssh_server 7782 "command=\"rsync --server --daemon --config=$TAP_TMP/rsyncd.conf .\",restrict"; then
		shell="$ssh -i $TAP_TMP/id -l $(id -un)" module=10.77.0.2::traces
		moved "rsync by ssh" by_rsync
		shell="$ssh -i $TAP_TMP/stranger_id -l $(id -un)"
		refused "rsync by ssh, a stranger" by_rsync
	fi
fi
if ! command -v rclone >/dev/null; then
	skip "rclone" "not installed"
elif certificates; then
	serve 7784 env HOME="$TAP_TMP" rclone serve webdav --addr 10.77.0.2:7784 --cert "$TAP_TMP/collector.crt" --key "$TAP_TMP/collector.key" \
		--client-ca "$TAP_TMP/ca.crt" --dir-cache-time 0s "$TAP_TMP/collector"
	moved "rclone" by_rclone
	refused "rclone, a stranger" by_rclone stranger
fi
tap_end
