#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
#
# The guide's programs record locks, RPCs and queues with their names, in event text and spans. The
# programs are hello_world, unchanged; the examples, with locks, RPCs and queue spans; and a program
# that records itself.
. tests/guest/lib.sh
guest_begin program

# The program as printed in the KUtrace User Guide.
cat >"$TAP_TMP/hello.cc" <<'SOURCE'
#include "kutrace_lib.h"
int main (int argc, const char** argv) {
   kutrace::mark_a("hello");
   fprintf(stdout, "hello world\n");
   kutrace::mark_a("/hello");
   return 0;
}
SOURCE
ok "hello_world compiles" ${CXX:-g++} -static -Icontrol/include -Imodule/uapi "$TAP_TMP/hello.cc" \
	"$BUILD/lib/libkutrace.a" -o "$OUT/hello_world"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko
must kutrace_control run -o /out/hello.trace -- hello_world >/out/hello.out
must kutrace_control run -o /out/mutex.trace -- mutex
must kutrace_control run -o /out/rpc.trace -- rpc_server
must kutrace_control run -o /out/pid.trace -- sh -c 'echo $$ >/out/pid; exec usleep 20000'
must self_trace /out/self.trace
# The recorder uses an own session while another recording runs.
must kutrace_control start --wrap
must recorder /out >/out/slow
kutrace_control test >/out/main.test
kutrace_control session list >/out/list
kutrace_control off
must rmmod kutrace
SCRIPT

rows()	# FILE EVENT NAME: prints how many spans of the JSON have that event and name
{
	awk -v e="$2" -v n="$3" -F', *' '$6 == e && index($10, "\"" n "\"") { k++ }
		END { print k + 0 }' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/mutex" \
	--file "$GUEST_BIN/rpc_server" --file "$GUEST_BIN/self_trace" \
	--file "$GUEST_BIN/recorder" --file "$OUT/hello_world"; then
	for name in hello mutex rpc self; do
		trace_ok "$name" "$OUT/$name.trace"
		ok "$name: the filters read it" trace_text "$OUT/$name.trace"
	done
	like "spantowhy explains the program that run ran, by its number" \
		"$("$BUILD/bin/spantowhy" "$OUT/pid.trace" 2>/dev/null | head -n 1)" \
		"^explains usleep\\.$(cat "$OUT/pid"): it is the recorded program;"
	like "hello_world prints its line" "$(cat "$OUT/hello.out")" '^hello world$'
	is "hello_world: marks" "$(event_awk '!/^#/ && $3 == EV_MARKA { printf "%s ", $10 }' \
		"$OUT/hello.trace.events")" "mark_a=hello mark_a=/hello "
	line=$(grep -n 'table_mutex = MUTEX_HERE' docs/examples/mutex.c | cut -d: -f1)
	lock=mutex.c:$line
	ev=$OUT/mutex.trace.events
	js=$OUT/mutex.trace.json
	like "lock: name entry" "$(event_awk '$3 % 16 == EV_LOCKNAME && $3 < EV_PACKET' "$ev")" " $lock\$"
	like "lock: its source file" "$(event_awk '$3 % 16 == EV_FILE && $3 < EV_PACKET' "$ev")" \
		' docs/examples/mutex.c$'
	for kind in lock_try lock_acquired lock_freed; do
		like "lock: $kind in the events" "$(grep -v '^#' "$ev")" " $kind=$lock \("
	done
	tries=$(grep -c " lock_try=$lock " "$ev")
	between "lock: tried by 3 threads, rounds" "$tries" 2 21
	is "lock: each try ended, tried spans" "$(rows "$js" $EV_LOCKTRY "$lock")" "$tries"
	between "lock: held spans" "$(rows "$js" $EV_LOCKHELD "$lock")" 1 21
	# The program sleeps for at least 1 ms while it owns the lock.
	is "lock: no held span is too short" "$(event_awk -F', *' -v n="\"$lock\"" '
		$6 == EV_LOCKHELD && index($10, n) && $2 < 0.001 { k++ } END { print k + 0 }' "$js")" 0

	ev=$OUT/rpc.trace.events
	js=$OUT/rpc.trace.json
	is "rpc: requests in the events" "$(event_awk '!/^#/ && $3 == EV_RPCIDREQ && $7 { n++ }
		END { print n + 0 }' "$ev")" 13
	is "rpc: responses" "$(event_awk '!/^#/ && $3 == EV_RPCIDRESP && $7 { n++ } END { print n + 0 }' "$ev")" 13
	like "rpc: method in the events" "$(grep -v '^#' "$ev")" " $EV_RPCIDREQ "'.* sleep\.[0-9]+ \('
	like "queue: name in the events" "$(grep -v '^#' "$ev")" ' enqueue=work \('
	is "queue: spans with its name, each with an RPC" "$(event_awk -F', *' '
		$6 == EV_ENQUEUE && index($10, "\"work\"") && $5 > 0 { n++ } END { print n + 0 }' "$js")" 13
	is "rpc: every id has a span with its method" "$(event_awk -F', *' '
		$6 == EV_RPCIDMID && $10 ~ /(sleep|square)\./ && !seen[$5]++ { n++ }
		END { print n + 0 }' "$js")" 13
	between "rpc: user code runs on behalf of RPCs" "$(awk -F', *' '
		$6 > 65536 && $5 > 0 { n++ } END { print n + 0 }' "$js")" 13 100000

	like "self: marks" "$(cat "$OUT/self.trace.events")" ' mark_a=cold '
	like "self: name of the program" "$(cat "$OUT/self.trace.events")" ' self_trace\.'
	faults=$(count_between "$OUT/self.trace.events" a=cold a=/cold - $EV_PAGE_FAULT)
	between "self: cold pages fault" "$faults" 613 10000
	between "self: warm pages do not fault" \
		"$(count_between "$OUT/self.trace.events" a=warm a=/warm - $EV_PAGE_FAULT)" 0 12

	n=$(ls "$OUT" | grep -c '^slow\.[0-9]*\.trace$')
	is "recorder: a trace of each slow request" "$n" "$(cat "$OUT/slow")"
	for t in "$OUT"/slow.7.trace "$OUT"/slow.14.trace; do
		trace_ok "recorder: ${t##*/}" "$t"
		ok "recorder: ${t##*/}: the filters read it" trace_text "$t"
		like "recorder: ${t##*/}: the slow request is in it, by name" \
			"$(grep -v '^#' "$t.events")" " $EV_RPCIDREQ "'.* slow\.(7|14) '
	done
	like "recorder: the main session still records" "$(cat "$OUT/main.test")" ', recording$'
	is "recorder: its session has ended" "$(awk '{ print $1 }' "$OUT/list")" main
fi
tap_end
