#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 15
# needs: debug
# ci
#
# The module takes none of its locks under mmap_lock in a wrong order. To move a task to a cpuset,
# the kernel takes mmap_lock under the lock of CPU hotplug. The module takes the hotplug lock under
# some of its locks, so it must not take these locks under mmap_lock. lockdep on the debug kernel
# (test_debug) reports a wrong order even if nothing hangs. A report in the log fails the test.
# Threads that rename themselves wait for the lock of the name table, while contended locks are
# recorded and named: naming a lock must not take that lock again.
. tests/guest/lib.sh
export KUTRACE_PATCHED_CONFIG=debug
guest_begin debug_locks

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=4 marks_all=1
must lockorder
mkdir /cpuset
must mount -t cgroup -o cpuset cpuset /cpuset
mkdir /cpuset/one
echo 0 >/cpuset/one/cpuset.mems || die "cannot write /cpuset/one/cpuset.mems"
echo 0 >/cpuset/one/cpuset.cpus || die "cannot write /cpuset/one/cpuset.cpus"
sleep 1000 &
echo $! >/cpuset/one/tasks || die "cannot write /cpuset/one/tasks"
kill $!
must lockorder
must kutrace_control run -o /out/t.trace -- true
must kutrace_control start --wrap
must shortlived rename 8 5
must kutrace_control stop /out/renamed.trace
cat /proc/lockdep_stats >/out/lockdep
grep -c 'ku_\|mine->lock' /proc/lockdep >/out/ours
must rmmod kutrace
SCRIPT

if ! patched_kernel; then
	fail "the kernel that checks itself is built" "see above"
elif guest_run "$TAP_TMP/script" --cpus 4 --timeout 500 \
	--file "$GUEST_BIN/lockorder" --file "$GUEST_BIN/shortlived"; then
	like "lockdep was active until the end" "$(cat "$OUT/lockdep")" 'debug_locks: +1$'
	config=$(cat "$KERNEL_DIR"/boot/config-*)
	for option in PROVE_LOCKING CPUSETS NUMA HOTPLUG_CPU; do
		like "the kernel has $option" "$config" "^CONFIG_$option=y\$"
	done
	between "lockdep has locks of the module" "$(cat "$OUT/ours")" 4 1000
fi
tap_end
