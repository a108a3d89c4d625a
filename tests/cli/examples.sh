#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that the programs of docs/examples compile as their first lines show, as C and without a
# warning, and work without a recording. A guest test checks the recorded events.
. tests/tap.sh

build=${BUILD:-build}
tap_begin
stage=$TAP_TMP/stage
ok "the library installs" make --no-print-directory BUILD="$build" DESTDIR="$stage" \
	PREFIX=/usr install-control

for source in docs/examples/*.c; do
	name=$(basename "$source" .c)
	ok "$name compiles" ${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -Werror "$source" \
		-o "$TAP_TMP/$name" -I"$stage/usr/include" -L"$stage/usr/lib" -lpthread -lkutrace
done
export LD_LIBRARY_PATH="$stage/usr/lib"
is "self_trace works unrecorded" "$("$TAP_TMP/self_trace")" 1839
is "mutex counts right" "$("$TAP_TMP/mutex")" 21
# the server returns odd numbers up to 13 after a sleep (sum 49), and the squares of even numbers (sum
# 364)
is "rpc_server answers" "$("$TAP_TMP/rpc_server")" 413
mkdir "$TAP_TMP/slow"
slow=$("$TAP_TMP/recorder" "$TAP_TMP/slow" 2>"$TAP_TMP/err")
between "recorder finds the slow calls" "$slow" 2 20
if [ ! -e /dev/kutrace/control ]; then
	like "recorder prints why nothing is recorded" "$(cat "$TAP_TMP/err")" \
		'^recorder: not recorded: .*(modprobe|not supported)'
	"$TAP_TMP/self_trace" "$TAP_TMP/x.trace" >"$TAP_TMP/out" 2>"$TAP_TMP/err"
	is "self_trace works without the module" "$?" 0
	like "self_trace prints why there is no trace" "$(cat "$TAP_TMP/err")" \
		'^self_trace: not recorded: .*(modprobe|not supported)'
fi
tap_end
