#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 120
# ci
#
# A sample of `make stress`: one round of the stock kernel, always the same, one by chance on that of 6.12 or 7.2, whose
# seed is in the log, and the least that a round has, on 7.2 with 4 CPUs; with KUTRACE_FAST the first alone, with KUTRACE_FULL eight
# more on three kernels, with 1 to 8 CPUs. Rounds end in time on a busy machine, too: they do less then (--budget), and say so. And what it must not say: a
# seed gives one plan, an unknown kernel is no success.
. tests/guest/lib.sh
. tests/stress/rounds.inc
guest_begin stress

is "a seed gives one plan" "$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | cksum)" \
	"$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | cksum)"
between "and rounds differ" "$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | grep '^CLASS' | sort -u | wc -l)" 3 9
between "kernels and numbers of CPUs are not drawn in fixed pairs: of 40 rounds" "$(tests/stress/stress.sh --plan --seed 20261126 \
	--rounds 40 | grep -E '^(KERNEL|CPUS)' | paste - - | sort -u | wc -l)" 15 25
direct_rounds()	# KERNELS: of 40
{
	tests/stress/stress.sh --plan --seed 20261126 --rounds 40 --kernels "$1" | grep -c '^PARAMETERS=syscalls=direct$'
}
between "direct hooks of system calls are drawn sometimes" "$(direct_rounds "stock stock-6.1 stock-6.12-rt")" 6 24
is "and never where there are none" "$(direct_rounds "stock-7.2 stock-6.12-arm64 patched-6.12 debug-6.1")" 0
stress --bogus
is "an unknown option" $? 2
stress --rounds 1 --kernels patched-0.0
is "a round that could not run is none that found nothing" $? 1

stress --seed 11 --rounds 1 --kernels stock --cpus 2 --classes pipe --tenths 30 --budget 90
status=$?
if [ $status = 77 ]; then
	skip "one round" "$(tail -n 1 "$OUT/log")"
	tap_end
fi
is "one round: nothing was found" $status 0
like "it says what it did" "$(cat "$OUT/log")" '^round 1: stock, 2 CPUs, pipe, [0-9]+ s, [1-9][0-9]* events, [0-9]+ of 5 actions, 0 findings'
like "and keeps it" "$(tail -n 1 "$BUILD/stress/rounds.jsonl")" \
	'"seed":11,"round":1,.*"hits":[1-9][0-9]*,.*"findings":\[\]'
if [ -z "$KUTRACE_FAST" ]; then
	ok "a round by chance: nothing was found" stress --rounds 1 --tenths 40 --cpus "1 2" \
		--kernels "stock-6.12 stock-7.2" --budget 120
	ok "4 CPUs of 7.2, without time for more than each round has: nothing was found" \
		stress --seed 11 --rounds 1 --kernels stock-7.2 --cpus 4 --classes pipe --tenths 30 --budget 0
	like "and it says that nothing more was done" "$(cat "$OUT/log")" \
		'^round 1: stock-7.2, 4 CPUs, pipe, [0-9]+ s, [1-9][0-9]* events, 0 of [1-9] actions, 0 findings'
fi
if [ -n "$KUTRACE_FULL" ]; then
	ok "eight rounds by chance: nothing was found" stress --rounds 8 --tenths 60 --cpus "1 2 4 8" \
		--kernels "stock-6.1 stock-6.12 stock-7.2"
fi
tap_end
