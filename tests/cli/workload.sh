#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 2
#
# Kills the workload of the demo and of the guest tests, and tests that its child processes end too.
# A child that continues would keep the device open, so the module could not be unloaded.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
command -v strace >/dev/null || { echo "1..0 # SKIP no strace (package strace)"; echo "no strace (package strace)"; exit 77; }
built "$BUILD/guest/bin/workload"

# Kill the workload before it connects to its TCP server, a child process that waits for the connection.
cp "$BUILD/guest/bin/workload" "$TAP_TMP/killed"
strace -qq -o /dev/null -e trace=connect -e inject=connect:signal=KILL "$TAP_TMP/killed" --quiet 2>/dev/null
is "the workload was killed" "$?" 137
left() { for exe in /proc/[0-9]*/exe; do readlink "$exe"; done 2>/dev/null | grep -c "^$TAP_TMP/killed"; }
tries=0
while [ "$(left)" != 0 ] && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
is "no process is left" "$(left)" 0
for exe in /proc/[0-9]*/exe; do
	case $(readlink "$exe") in "$TAP_TMP/killed"*) kill -KILL "$(echo "$exe" | cut -d / -f 3)" ;; esac
done 2>/dev/null
tap_end
