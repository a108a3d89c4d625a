#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 120
# ci
#
# Tests that a sample of `make stress` has no findings, and that stress.sh reports rounds correctly.
# The sample is a fixed round on the stock kernel, a random round on 6.12 or 7.2, whose seed is in the
# log, and a round without actions on 7.2 with 4 CPUs. KUTRACE_FAST runs only the first round.
# KUTRACE_FULL runs eight more on three kernels, with 1 to 8 CPUs. The --budget lets the rounds end in
# time on a busy machine. A seed must always give the same plan, and an unknown kernel is a failure.
. tests/guest/lib.sh
. tests/stress/rounds.inc
guest_begin stress

is "a seed gives one plan" "$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | cksum)" \
	"$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | cksum)"
between "rounds of a seed differ" "$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | grep '^CLASS' | sort -u | wc -l)" 3 9
between "different pairs of kernel and number of CPUs in 40 rounds" "$(tests/stress/stress.sh --plan --seed 20261126 \
	--rounds 40 | grep -E '^(KERNEL|CPUS)' | paste - - | sort -u | wc -l)" 15 25
direct_rounds()	# KERNELS: prints how many of 40 rounds use direct hooks
{
	tests/stress/stress.sh --plan --seed 20261126 --rounds 40 --kernels "$1" | grep -c '^PARAMETERS=syscalls=direct$'
}
between "some rounds use direct hooks of system calls" "$(direct_rounds "stock stock-6.1 stock-6.12-rt")" 6 24
is "no round uses direct hooks on a kernel without them" "$(direct_rounds "stock-7.2 stock-6.12-arm64 patched-6.12 debug-6.1")" 0
stress --bogus
is "an unknown option" $? 2
stress --rounds 1 --kernels patched-0.0
is "a round that could not run is a failure" $? 1

stress --seed 11 --rounds 1 --kernels stock --cpus 2 --classes pipe --tenths 30 --budget 90
status=$?
if [ $status = 77 ]; then
	skip "one round" "$(tail -n 1 "$OUT/log")"
	tap_end
fi
is "one round: no findings" $status 0
like "one round: the summary" "$(cat "$OUT/log")" '^round 1: stock, 2 CPUs, pipe, [0-9]+ s, [1-9][0-9]* events, [0-9]+ of 5 actions, 0 findings'
like "one round: its line in rounds.jsonl" "$(tail -n 1 "$BUILD/stress/rounds.jsonl")" \
	'"seed":11,"round":1,.*"hits":[1-9][0-9]*,.*"findings":\[\]'
if [ -z "$KUTRACE_FAST" ]; then
	ok "a random round: no findings" stress --rounds 1 --tenths 40 --cpus "1 2" \
		--kernels "stock-6.12 stock-7.2" --budget 120
	ok "a minimal round on 7.2 with 4 CPUs: no findings" \
		stress --seed 11 --rounds 1 --kernels stock-7.2 --cpus 4 --classes pipe --tenths 30 --budget 0
	like "a minimal round reports that it did no action" "$(cat "$OUT/log")" \
		'^round 1: stock-7.2, 4 CPUs, pipe, [0-9]+ s, [1-9][0-9]* events, 0 of [1-9] actions, 0 findings'
fi
if [ -n "$KUTRACE_FULL" ]; then
	ok "eight random rounds: no findings" stress --rounds 8 --tenths 60 --cpus "1 2 4 8" \
		--kernels "stock-6.1 stock-6.12 stock-7.2"
fi
tap_end
