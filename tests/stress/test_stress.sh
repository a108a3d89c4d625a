#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 40
# full
#
# A sample of `make stress`: with KUTRACE_FAST one round on the stock kernel, always the same; else the same and five by
# chance on three stock kernels, with 1 to 4 CPUs, whose seed is in the log. And what it must not say: a seed gives one plan, an
# unknown kernel is no success.
. tests/guest/lib.sh
guest_begin stress
stress()
{
	tests/stress/stress.sh "$@" >"$OUT/log" 2>&1
	_status=$?
	sed 's/^/# /' "$OUT/log" >&2
	return $_status
}

is "a seed gives one plan" "$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | cksum)" \
	"$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | cksum)"
between "and rounds differ" "$(tests/stress/stress.sh --plan --seed 4 --rounds 9 | grep '^CLASS' | sort -u | wc -l)" 3 9
stress --bogus
is "an unknown option" $? 2
stress --rounds 1 --kernels patched-0.0
is "a round that could not run is none that found nothing" $? 1

stress --seed 11 --rounds 1 --kernels stock --cpus 2 --classes pipe --tenths 30
status=$?
if [ $status = 77 ]; then
	skip "one round" "$(tail -n 1 "$OUT/log")"
	tap_end
fi
is "one round: nothing was found" $status 0
like "it says what it did" "$(cat "$OUT/log")" '^round 1: stock, 2 CPUs, pipe, [0-9]+ s, [1-9][0-9]* events, 0 findings'
like "and keeps it" "$(tail -n 1 "$BUILD/stress/rounds.jsonl")" \
	'"seed":11,"round":1,.*"hits":[1-9][0-9]*,.*"findings":\[\]'
if [ -z "$KUTRACE_FAST" ]; then
	ok "five rounds by chance: nothing was found" stress --rounds 5 --tenths 60 --cpus "1 2 4" \
		--kernels "stock-6.1 stock-6.12 stock-7.2" --limit 600
fi
tap_end
