#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that the time of kernel threads and of io_uring's workers is system time. If a trace does not record the kinds
# of threads, their names decide. iouring.trace (Linux 7.2) has a program that writes by io_uring, its workers, and
# kernel threads. Only the kernel uses the names of these workers and kernel threads.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# --- traces without kinds of threads: the names decide ---

# own_code NAME...: makes event text in which a thread of each name runs. Prints the names whose own code is kernel code.
own_code()
{
	local name pid=1000 time=1000
	for name; do
		echo "-1 1 34 $pid $name"
		printf '%s 0 512 0  %s 0  %s 0 0 %s.%s (200)\n' $time $pid $pid "$name" $pid
		printf '%s 0 512 0  0 0  0 0 0 -idle-.0 (200)\n' $((time + 500))
		pid=$((pid + 1)) time=$((time + 1000))
	done | sort -n | "$BIN/eventtospan" x 2>/dev/null | tr -d '[]"' | awk -F', *' '$6 == 65536 + $4 && $7 == 1 { print $10 }' |
		sed 's/\.[0-9]*$//'
}
# one name for each kind of kernel thread
mapfile -t names <<'X'
kworker/0:1H-kblockd
ksoftirqd/12
ktimersoftd/3
watchdog/0
irq/27-nvme0q1
migration/0
cpuhp/3
rcu_preempt
rcuop/1
sugov:4
kswapd0
khugepaged
flush-8:0
scsi_eh_0
usb-storage
nvme-wq
nvmet-wq
md127_raid1
md0_raid10
md2_raid6
md0_resync
md0_cluster_rec
kdmflush
kdmflush/253:0
kdmwork-253:0
dm-thin
dm_bufio_cache
dmcrypt_write/2
kcryptd/253:0
kcryptd-253:0-1
vdo0:bioQ1
bcache_gc
bch-copygc/sda
drbd_w_r0
jbd2/sda1-8
xfsaild/dm-0
xfs-cil/dm-0
f2fs_gc-254:0
ext4lazyinit
btrfs-transacti
btrfs-cleaner
btrfs-worker-hi
btrfs-endio-met
btrfs-endio-wri
btrfs-cache-12
btrfs-delalloc-
btrfs-freespace
btrfs-qgroup-re
btrfs-scrub-1
btrfs-balance
ubi_bgt0d
ubifs_bgt0_1
nfsd
lockd
nfsv4.1-svc
NFSv4 callback
rpciod
cifsd
z_wr_iss_h
txg_sync
arc_evict
dbuf_evict
spl_dynamic_tas
napi/eth0-8193
wg-crypt-wg0
kbnepd bnep0
vif1.0-q0-guest
card0-crtc0
gfx_0.0.0
sdma1
nvidia-modeset/
kipmi0
spi1
ptp0
kvm-nx-lpage-re
kvm-pit/812
vhost-4711
iou-wrk-4711
X
is "names of kernel threads: their own code is kernel code" "$(own_code "${names[@]}")" "$(printf '%s\n' "${names[@]}")"
# these are names of user programs, or names that nothing has
is "names of programs that are similar: user code" "$(own_code nfsdcld rpc.nfsd nfsd2 napi napi0 md5sum md0 md_raid1 md0_raidx md127_raid1x \
	dmeventd dm-tool dm-event dmsetup f2fs_io fsck.f2fs dlm_controld gfs2_grow kdmflushd card0 card0-crtc card0-crtc0x cardd \
	ptp4l spidev_test sdma loopback loop usb-storaged zpool zfs z_wr arc txg_synced xfs_io irqbalance kworker rcu \
	sugov kvm vhost watchdog drbdadm bcache nvme vdo spl lockdown \
	btrfs btrfs-convert btrfs-image btrfs-find-root btrfs-map-logica btrfs-select-su btrfs-debug-tre btrfs-zero-log \
	btrfs-balance.s btrfs-scrub.sh)" ""
{
	echo "-1 1 34 1000 nfsd"		# calls getpid later, so it is a program with that name
	echo "-1 2 34 1001 md0_raid1"		# the trace records that this is a user thread
	echo "-1 3 34 1002 anything"		# the trace records that this is a kernel thread
	time=1000
	for pid in 1000 1000 1001 1002 1000; do
		echo "$time 0 512 0  $pid 0  $pid 0 0 x.$pid (200)"
		[ $time = 2000 ] && echo "2100 20 2087 0  $pid 0  0 44 0 getpid (827)"
		echo "$((time + 500)) 0 512 0  0 0  0 0 0 -idle-.0 (200)"
		time=$((time + 1000))
	done
} | sort -n | "$BIN/eventtospan" x 2>/dev/null | tr -d '[]"' | awk -F', *' '$6 == 65536 + $4 && $4 { print $4, $7 }' | sort -u >"$TAP_TMP/kinds"
is "the recorded kind has priority over the name" "$(cat "$TAP_TMP/kinds" | tr '\n' ' ')" "1000 0 1001 0 1002 1 "

# Traces of other tools without calls: nfsd.1001 executes a program named nfsd, and nfsd.1000 executes none.
kinds_of()	# prints TID KIND for the own code of each thread in the event text on stdin
{
	"$BIN/eventtospan" x 2>/dev/null | tr -d '[]"' | awk -F', *' '$6 == 65536 + $4 && $4 { print $4, $7 }' | sort -u | tr '\n' ' '
}
if command -v protoc >/dev/null; then
	. tests/cli/perfetto.inc
	perfetto_bytes >"$TAP_TMP/pf" <<'X'
packet { ftrace_events { cpu: 0
  event { timestamp: 1000 pid: 0 sched_switch { next_comm: "nfsd" next_pid: 1000 } }
  event { timestamp: 9000 pid: 1000 sched_switch { prev_comm: "nfsd" prev_pid: 1000 prev_state: 1 next_comm: "nfsd" next_pid: 1001 } }
  event { timestamp: 9500 pid: 1001 sched_process_exec { filename: "/usr/sbin/nfsd" pid: 1001 old_pid: 1001 } }
  event { timestamp: 18000 pid: 1001 sched_switch { prev_comm: "nfsd" prev_pid: 1001 prev_state: 1 next_comm: "swapper/0" } }
  event { timestamp: 27000 pid: 0 cpu_idle { state: 1 cpu_id: 0 } } } }
X
	is "Perfetto: a thread that executes a program has user code" "$("$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null | kinds_of)" "1000 1 1001 0 "
	perfetto_bytes >"$TAP_TMP/pf" <<'X'
packet { ftrace_events { cpu: 0
  event { timestamp: 1000 pid: 0 sched_switch { next_comm: "nfsd" next_pid: 1001 } }
  event { timestamp: 9500 pid: 1001 sched_process_exec { filename: "/usr/sbin/nfsd" pid: 1001 old_pid: 1001 } }
  event { timestamp: 9600 pid: 1001 task_newtask { pid: 1002 comm: "nfsd" } }
  event { timestamp: 18000 pid: 1001 sched_switch { prev_comm: "nfsd" prev_pid: 1001 prev_state: 1 next_comm: "nfsd" next_pid: 1002 } }
  event { timestamp: 27000 pid: 1002 cpu_idle { state: 1 cpu_id: 0 } } } }
X
	is "Perfetto: so has a thread that it creates" "$("$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null | kinds_of)" "1001 0 1002 0 "
else
	skip "Perfetto: a thread that executes a program has user code" "no protoc"
fi

# Traces of LTTng (CTF), also with threads that another thread creates. make_lttng.c describes the
# format of the lines.
built "$BUILD/tests/make_lttng"
# ctf_kinds: prints the kinds for the lines on stdin, which may be in any order.
ctf_kinds()
{
	rm -rf "$TAP_TMP/lttng"
	sort -n | "$BUILD/tests/make_lttng" "$TAP_TMP/lttng" script || exit 1
	"$BIN/ctftoevent" "$TAP_TMP/lttng" 2>/dev/null | kinds_of
}
# runs MS TID NAME...: prints lines in which each thread runs for 0.9 ms, one after the other
runs()
{
	local ms=$1
	shift
	while [ $# -gt 0 ]; do
		echo "${ms}000 0 sched_switch swapper 0 0 $2 $1"
		echo "${ms}900 0 sched_switch $2 $1 1 swapper 0"
		ms=$((ms + 1))
		shift 2
	done
}
fork() { echo "$1 0 sched_process_fork $3 $2 $5 $4"; }	# US NUMBER NAME NUMBER NAME: a thread creates another
is "CTF: of two threads, one executes a program" "$({ runs 1000 300 bash 301 nfsd; echo "1000500 0 sched_process_exec /usr/sbin/nfsd 300 300"
	runs 1010 300 nfsd; } | ctf_kinds)" "300 0 301 1 "
for path in - /x/; do
	is "CTF: the program has the path '$path', without a name" "$({ runs 1000 300 nfsd; echo "1000500 0 sched_process_exec $path 300 300"
		runs 1010 300 nfsd; } | ctf_kinds)" "300 0 "
done
is "CTF: the threads that a program creates, and these create, have user code" "$({ runs 1000 300 nfsd
	echo "1000200 0 sched_process_exec /usr/sbin/nfsd 300 300"; fork 1000500 300 nfsd 301 nfsd
	runs 1010 301 nfsd; fork 1010500 301 nfsd 302 nfsd; runs 1020 302 nfsd 300 nfsd; } | ctf_kinds)" "300 0 301 0 302 0 "
is "CTF: a program without an exec in the trace creates a thread, which takes a name of the kernel's" "$({ runs 1000 300 bash
	fork 1000500 300 bash 301 bash; echo "1000600 0 task_rename 301 bash kworker/0:1"; runs 1010 301 kworker/0:1; } | ctf_kinds)" "300 0 301 0 "
is "CTF: a worker that a program creates has kernel code" "$({ runs 1000 300 prog; echo "1000200 0 sched_process_exec /bin/prog 300 300"
	fork 1000500 300 prog 301 prog; fork 1000600 300 prog 302 vhost-300; runs 1010 301 iou-wrk-300 302 vhost-300; } | ctf_kinds)" \
	"300 0 301 1 302 1 "
is "CTF: kthreadd creates a kernel thread" "$({ fork 1000500 2 kthreadd 301 kthreadd; runs 1010 301 unheard-of; } | ctf_kinds)" "301 1 "
is "CTF: a kworker creates a thread that becomes a program" "$({ fork 1000500 50 kworker/u8:1 301 kworker/u8:1; runs 1010 301 kworker/u8:1
	echo "1010950 0 sched_process_exec /sbin/modprobe 301 301"; fork 1000600 50 kworker/u8:1 302 kworker/u8:1
	runs 1020 302 kworker/u8:1 302 kdevtmpfs; } | ctf_kinds)" "301 0 302 1 "
is "CTF: another thread gets the number of a program's thread" "$({ runs 1000 300 nfsd; echo "1000200 0 sched_process_exec /usr/sbin/nfsd 300 300"
	echo "1000950 0 sched_switch nfsd 300 16 swapper 0"; runs 1010 300 nfsd; } | sed '/^1000900/d' | ctf_kinds)" "300 0 300 1 "
# LTTng's list of processes has the kinds: 0 user, 1 kernel
listed() { echo "$1 1 lttng_statedump_process_state $2 $3 $4 ${5:-5}"; }	# US NUMBER NAME TYPE [STATUS]
for at in 999000 1005000; do
	is "LTTng lists the kinds, at $at us" "$({ listed $at 300 nfsd 0; listed $at 301 unheard-of 1; listed $at 302 iou-wrk-9 0
		listed $at 303 unlisted 9; runs 1000 300 nfsd 301 unheard-of 302 iou-wrk-9 303 unlisted
		runs 1010 300 nfsd 301 unheard-of 302 iou-wrk-9 303 unlisted; } | ctf_kinds)" "300 0 301 1 302 1 303 0 "
	is "LTTng lists a zombie, which has no memory, at $at us" "$({ listed $at 300 prog 1 4; runs 1000 300 prog; } | ctf_kinds)" "300 0 "
done
is "LTTng lists the next thread of the number" "$({ runs 1000 300 prog; echo "1000950 0 sched_switch prog 300 16 swapper 0"
	fork 1005000 2 kthreadd 300 kthreadd; listed 1006000 300 unheard-of 1; runs 1010 300 unheard-of; } | sed '/^1000900/d' | ctf_kinds)" "300 0 300 1 "

# --- a trace of Linux 7.2 ---

xz -dc "$DATA/iouring.trace.xz" >"$TAP_TMP/trace"
KERNEL='^(iou-(wrk|sqp)-[0-9]+|k(worker|softirqd|compactd|damond).*|rcu_.*|migration/[0-9]+)$'

"$BIN/rawtohtml" --json "$TAP_TMP/trace" 2>/dev/null | "$BIN/spantoprof" >"$TAP_TMP/profile" 2>/dev/null
# prints NAME user|kernel for each thread whose profile has a line for user or kernel code
awk '/^[^ ].*: .* of CPU, / { name = $1; sub(/\.[0-9]+:$/, "", name) } / (user|kernel)$/ { print name, $NF }' "$TAP_TMP/profile" | sort -u >"$TAP_TMP/kinds"
is "spantoprof: kernel threads have kernel code" "$(awk -v kernel="$KERNEL" '$1 ~ kernel && $2 != "kernel"' "$TAP_TMP/kinds")" ""
is "spantoprof: programs have user code" "$(awk -v kernel="$KERNEL" '$1 !~ kernel && $2 != "user"' "$TAP_TMP/kinds")" ""
between "spantoprof: kinds of kernel threads" "$(grep -c ' kernel$' "$TAP_TMP/kinds")" 8 20
between "spantoprof: programs" "$(grep -c ' user$' "$TAP_TMP/kinds")" 4 20

# prints NAME user|kernel for each thread whose own code spantowhy names: in a gap, a waker, or a step of the path
"$BIN/rawtohtml" --json "$TAP_TMP/trace" 2>/dev/null >"$TAP_TMP/json"
for pid in $("$BIN/spantowhy" "$TAP_TMP/json" | sed -n 's/^[^ ].*\.\([0-9]*\): [0-9]* runs, .*/\1/p'); do
	"$BIN/spantowhy" --pid "$pid" "$TAP_TMP/json" >"$TAP_TMP/why"
	"$BIN/spantowhy" --pid "$pid" --json "$TAP_TMP/json" | tr '{' '\n' >"$TAP_TMP/why.json"
	name=$(sed -n "s/\.$pid: [0-9]* runs, .*//p" "$TAP_TMP/why")
	sed -n "s/^ *[0-9.]* *[0-9.]* [a-z]*  in \(user\|kernel\) code: .*/$(printf %s "$name" | sed 's,/,\\/,g') \1/p" "$TAP_TMP/why"
	sed -n 's/.*woken by \([^ ]*\)\.[0-9]* on CPU [0-9]* in \(user\|kernel\) code;.*/\1 \2/p' "$TAP_TMP/why"
	sed -n 's/^ *[0-9.]* *[0-9.]* [a-z]*  \([^ ]*\)\.[0-9]* ran on CPU [0-9]*, mostly \(user\|kernel\) code$/\1 \2/p' "$TAP_TMP/why"
	sed -n 's/.*"name": "\([^"]*\)\.[0-9]*".*"in": "\(user\|kernel\)".*/\1 \2/p' "$TAP_TMP/why.json" | sed 's/$/ json/'
done | sort | uniq -c | awk '{ print $2, $3, $4, $1 }' >"$TAP_TMP/why.kinds"
is "spantowhy: kernel threads run kernel code" "$(awk -v kernel="$KERNEL" '$1 ~ kernel && $2 != "kernel"' "$TAP_TMP/why.kinds")" ""
is "spantowhy: programs run user code" "$(awk -v kernel="$KERNEL" '$1 !~ kernel && $2 != "user"' "$TAP_TMP/why.kinds")" ""
for kind in user kernel; do
	between "spantowhy: threads with $kind code" "$(awk -v kind=$kind '$2 == kind && $3 != "json"' "$TAP_TMP/why.kinds" | wc -l)" 3 20
done
like "spantowhy --json: wakers in kernel code" "$(cat "$TAP_TMP/why.kinds")" '^iou-wrk-[0-9]+ kernel json '

if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	ok "rawtosqlite" "$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TAP_TMP/trace"
	sqlite3 -separator ' ' "$TAP_TMP/db" "select replace(name, ' ', '_'), user_ns, system_ns from thread where tid <> 0" >"$TAP_TMP/threads"
	is "tables: kernel threads have no user time" "$(awk -v kernel="$KERNEL" '$1 ~ kernel && $2 > 0' "$TAP_TMP/threads")" ""
	between "tables: and 375 to 405 ms of system time" "$(awk -v kernel="$KERNEL" '$1 ~ kernel { t += $3 } END { printf "%d", t / 1000000 }' "$TAP_TMP/threads")" 375 405
	between "tables: user time is that of programs, 100 to 120 ms" "$(awk '{ t += $2 } END { printf "%d", t / 1000000 }' "$TAP_TMP/threads")" 100 120
	is "tables: no waker that is a kernel thread was in user code" "$(sqlite3 "$TAP_TMP/db" "select distinct w.name
		from thread_state s join thread w on w.tid = s.waker_tid and w.life = s.waker_life
		where s.waker_kind = 'user'" | grep -E "$KERNEL")" ""
	is "tables: the time of slices is the thread's" "$(sqlite3 "$TAP_TMP/db" "select (select sum(user_ns) from thread) - (select sum(user_ns) from sched_slice),
		(select sum(system_ns) from thread) - (select sum(system_ns) from sched_slice)")" "0|0"
else
	skip "tables" "no rawtosqlite, or no sqlite3"
fi
tap_end
