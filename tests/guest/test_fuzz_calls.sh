#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 7800
# takes: 150
# needs: debug
# ci
# also: fuzz_calls_kcov KERNEL=debug-6.1 timeout: 3900 takes: 150 needs: debugstock ci
#
# Random calls of the module, in every way that user space can call it (see ctlfuzz.c), do no harm
# on the patched debug kernel (KASAN, PROVE_LOCKING, DEBUG_ATOMIC_SLEEP). With KERNEL=debug-6.1 the
# test uses an unpatched kernel, where KCOV guides the choice (test_fuzz_calls_kcov). In the
# first half everybody may mark, in the second half the device belongs to the group.
#
# Each half runs 300 programs, whatever the load of the machine. With KCOV it continues, for at most
# 3,000 programs, until half of the places in the module's code are reached. $FUZZ_SECONDS sets a
# time instead, by the guest's clock, which is fast on a busy host. $FUZZ_SEED repeats a run by its
# printed seed. A problem is in the guest's log, or in a line BAD or FOUND with its program;
# "ctlfuzz --replay" runs that program again.
. tests/guest/lib.sh
guest_begin fuzz-calls${KERNEL:+-$KERNEL}
export KUTRACE_PATCHED_CONFIG=${KUTRACE_PATCHED_CONFIG:-debug}
seconds=${FUZZ_SECONDS:-$(effort '' '' 3600)}
seed=${FUZZ_SEED:-$((RANDOM << 15 | RANDOM))}
diag "seed $seed: FUZZ_SEED=$seed ${seconds:+FUZZ_SECONDS=$seconds }tests/guest/test_fuzz_calls.sh"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# arguments: SEED, and the length of each half
must insmod /lib/kutrace.ko mb=1 sessions_mb=64 marks_all=1 gid=500
ctlfuzz --seed "$1" $2 | tee /out/all || die "ctlfuzz as root"
must unload kutrace
must insmod /lib/kutrace.ko mb=2 sessions_mb=64
chgrp 500 /dev/kutrace/*
ctlfuzz --seed "$(($1 + 1))" $2 | tee /out/group || die "ctlfuzz as a user of the group"
must unload kutrace
SCRIPT

# counts WORD NAME FIELD: prints the sum of a number in the output of both halves
counts()
{
	awk -v word="$1" -v name="$2" -v field="$3" '$1 == word && $2 == name { n += $field }
		END { print n + 0 }' "$OUT/all" "$OUT/group"
}

if [ -n "${KERNEL-}" ]; then
	named_kernel "$KERNEL" "$OUT/kernel.log"
elif ! patched_kernel; then
	fail "the kernel is built" "see above"
	tap_end
fi
# The number of places that the compiler has marked in the module.
marked=$(objdump -dr "$KO" | grep -c __sanitizer_cov_trace_pc)
limit="--programs 300 --places $(((marked + 1) / 2))"
[ -z "$seconds" ] || limit="--seconds $((seconds / 2))"
if guest_run "$TAP_TMP/script" --cpus 2 --timeout $((${seconds:-1800} + 1200)) \
	--file "$GUEST_BIN/ctlfuzz" -- "$seed" "$limit"; then
	total=0 reached=0
	for half in all group; do
		is "$half: no problem was found" "$(grep -c '^BAD\|^FOUND' "$OUT/$half")" 0
		like "$half: prints the seed and the kind of coverage" "$(head -n 1 "$OUT/$half")" \
			'^seed [0-9]+ coverage (KCOV|none)$'
		programs=$(awk '/^programs/ { n = $2 } END { print n + 0 }' "$OUT/$half")
		here=$(awk '/^programs/ { n = $6 } END { print n + 0 }' "$OUT/$half")
		[ "$here" -lt "$reached" ] || reached=$here
		between "$half: programs" "$programs" 300 1000000000
		total=$((total + programs))
		diag "$half: $programs programs, $here places in the code reached"
	done
	# Each call must succeed at least once, and be refused at least once. Rare results occur
	# only in a long run.
	often='open info create list mask filter trigger fired attend keep lost define point point_list
		switch byte mmap mark node read control' seldom= commands=
	[ "$total" -lt 3000 ] ||
		seldom='attach destroy forget write touch' commands='0 1 2 3 4 5 7 8 10 11 15'
	for call in $often $seldom; do
		between "$call was done" "$(counts call $call 3)" 1 1000000000
		between "$call was refused" "$(counts call $call 4)" 1 1000000000
	done
	for command in $commands; do
		between "command $command of the control call was done" "$(counts command $command 3)" \
			1 1000000000
	done
	# $reached is the number of the half that reached more places.
	if [ "$marked" -gt 0 ]; then
		between "places reached, of $marked: percent" $((reached * 100 / marked)) 50 100
	else
		skip "places reached" "this kernel has no KCOV"
	fi
fi
[ ! -s "$OUT/all" ] || grep -h '^BAD\|^FOUND\|^PROGRAM' "$OUT/all" "$OUT/group" 2>/dev/null | sed 's/^/# /' >&2
tap_end
