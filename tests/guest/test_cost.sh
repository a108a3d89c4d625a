#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
# takes: 15
# ci
#
# Recording adds at most 150 instructions to a getpid on the stock kernel, and at most 195 if its
# result does not fit into the call's entry. A loaded module that does not record adds none. The
# kernel's own events of system calls (ftrace) add more than recording. The instructions are counted
# exactly under icount (tests/bench/hooks.sh).
. tests/guest/lib.sh
guest_begin cost

value()
{
	sed -n "s/.*\"name\": \"$1\", \"value\": \([0-9]*\)\..*/\1/p" "$BUILD/bench/hooks.json"
}

ok "the benchmark runs" tests/bench/hooks.sh
if [ -f "$BUILD/bench/hooks.json" ]; then
	absent=$(value stock-absent)
	between "instructions of a getpid without the module" "$absent" 100 1000
	between "stock-off adds nothing" $(($(value stock-off) - absent)) -1 1
	between "stock-on adds at most 150 instructions" $(($(value stock-on) - absent)) 30 150
	long=$(value stock-absent-long)
	between "without the module, a large result costs nothing" $((long - absent)) -1 1
	between "stock-on-long adds at most 195 instructions" \
		$(($(value stock-on-long) - long)) 30 195
	between "stock-off-long adds nothing" $(($(value stock-off-long) - long)) -1 1
	fault=$(value stock-absent-fault)
	between "a page fault costs at most 200 instructions more" \
		$(($(value stock-on-fault) - fault)) 50 200
	between "after unloading, a page fault costs as before" $(($(value stock-removed-fault) - fault)) -5 5
	between "after unloading, a getpid costs as before" $(($(value stock-removed) - absent)) -1 1
	between "the kernel's own events cost more" \
		$(($(value raw-syscalls-events) - $(value stock-on))) 100 5000
	between "the kernel's own events cost more, also with a large result" \
		$(($(value raw-syscalls-events-long) - $(value stock-on-long))) 100 5000
fi
ok "no call takes long, also after the pool has wrapped" tests/bench/steps.sh 200000
tap_end
