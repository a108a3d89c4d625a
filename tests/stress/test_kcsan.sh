#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 6000
# takes: 1500
# full
#
# Tests that KCSAN (strict) finds no data race in the functions of kutrace during rounds of `make
# stress`. In a data race, two CPUs access the same memory at the same time, and at least one access is
# a plain access. A report is a finding, and so is a round in which hardly any access was checked. To
# prove that KCSAN finds races, it must report a module in which two CPUs race
# (tests/guest/module/data_race).
. tests/guest/lib.sh
. tests/stress/rounds.inc
guest_begin kcsan
found=$(kernel-patches/build.sh --config kcsan 2>"$OUT/build.log") || { fail "the kernel is built" "$(tail -n 3 "$OUT/build.log")"; tap_end; }
eval "$found"
between "places of the module that KCSAN checks" "$(objdump -dr "$KO" | grep -c '__tsan_\(un\)\{0,1\}\(aligned_\)\{0,1\}\(read\|write\|volatile\)')" 1000 1000000

racing=$TAP_TMP/module/$KRELEASE/data_race/kutrace_data_race.ko
ok "a module that races is built" tests/guest/module_build.sh "$KERNEL_DIR/usr/src/linux-headers-$KRELEASE" "$KRELEASE" "$TAP_TMP" "" \
	tests/guest/module/data_race
cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
say() { echo "$*"; }
finding() { echo "$*" >>/out/findings; }
. /lib/races.inc
insmod /lib/kutrace_data_race.ko || exit 10
watch_races
tries=0
until dmesg | grep -q 'KCSAN: data-race' || [ $tries = 60 ]; do
	sleep 1
	tries=$((tries + 1))
done
rmmod kutrace_data_race || exit 11
races_watched
SCRIPT
status=0
tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT" --cpus 2 --mem 1024 --timeout 600 \
	--file "$racing:/lib/kutrace_data_race.ko" --file tests/stress/races.inc:/lib/races.inc >"$OUT/boot.log" 2>&1 || status=$?
is "exit status for a log with a race" "$status" 120
is "the script succeeded" "$(cat "$OUT/status")" 0
is "accesses were checked" "$([ ! -e "$OUT/findings" ] || cat "$OUT/findings")" ""
like "found: both writers, and the place" "$(grep 'KCSAN: data-race' "$OUT/dmesg")" 'data-race in ku_racing_(write|thread)'

seed=40
for class in futex fork interrupt; do
	seed=$((seed + 1))
	# With KCSAN everything takes several times as long, and TLB shootdowns ten times. Most of the
	# time is spent in the parts that each round must have.
	ok "$class: no findings" stress --seed $seed --rounds 1 --kernels kcsan-6.1 --cpus 2 --classes $class \
		--tenths 60 --limit 1500 --budget 200
	like "$class: the round ran" "$(cat "$OUT/log")" '^round 1: kcsan-6.1, 2 CPUs, .* [1-9][0-9]* of [1-9][0-9]* actions, 0 findings'
done
tap_end
