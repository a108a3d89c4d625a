#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# Memory of sessions respects its limits and is returned: the limit of all sessions together, the
# machine's free memory, and the limit of a memory cgroup. The module checks them before the
# allocation. If it refuses a session, the error has the reason and nothing is left behind. A killed
# process stops allocating.
. tests/guest/lib.sh
guest_begin memory
MB=400

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
create()	# NAME MB
{
	kutrace_control session create $1 --size $2 2>&1
	echo "$1 $2: $?"
}
limit() { echo $1 >/sys/module/kutrace/parameters/sessions_mb || die "cannot write sessions_mb"; }
mb() { echo $(($(cat /cg/$1/memory.current) >> 20)); }

insmod /lib/kutrace.ko mb=8 sessions_mb=64 || insmod /lib/kutrace.ko mb=8 || die "cannot load the module"
{
	create a 32
	create b 32
	create c 16
	create d 8
	kutrace_control --session e start --size 16 2>&1
	kutrace_control session destroy c
	create d 8
} >/out/limit
kutrace_control session list | cut -d ' ' -f 1 >/out/list
for s in a d; do kutrace_control session destroy $s; done
i=0
while [ $i -lt 20 ]; do
	kutrace_control session create again --size 40 && kutrace_control session destroy again ||
		break
	i=$((i + 1))
done
echo $i >/out/again

limit 0
memory create 600 >/out/half
limit 100000
memory create $1 >/out/some
memory create 60000 >/out/much
memory killed $1 >/out/killed

mkdir /cg
must mount -t cgroup2 cgroup /cg
echo +memory >/cg/cgroup.subtree_control || die "cannot write /cg/cgroup.subtree_control"
mkdir /cg/small /cg/large
echo 24M >/cg/small/memory.max
sh -c 'echo $$ >/cg/small/cgroup.procs; exec kutrace_control session create big --size 64' \
	>/out/cgroup 2>&1
echo $? >>/out/cgroup
# The cgroup is too small even for the name table, which is allocated before the blocks.
sh -c 'echo $$ >/cg/small/cgroup.procs; exec kutrace_control session create huge --size 400' \
	>/out/cgroup.names 2>&1
echo $? >>/out/cgroup.names
grep oom /cg/small/memory.events >/out/oom
sh -c 'echo $$ >/cg/large/cgroup.procs; exec kutrace_control session create mine --size 64' ||
	die "cannot create a session in cgroup large"
echo "with $(mb large)" >/out/charged
kutrace_control session destroy mine
echo "without $(mb large)" >>/out/charged
kutrace_control session list | cut -d ' ' -f 1 >>/out/list
dmesg | grep -i 'kutrace:' >/out/log
must rmmod kutrace
must_fail insmod /lib/kutrace.ko mb=65 sessions_mb=64 2>/dev/null
dmesg | grep 'kutrace:' | tail -n 1 >/out/load
exit 0
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 1 --mem 1024 --timeout 250 \
	--file "$GUEST_BIN/memory" -- $MB; then
	too_large="kutrace_control: session create: session [bd]: the buffers of all sessions"
	like "the first session is created" "$(grep '^a' "$OUT/limit")" '^a 32: 0$'
	is "a later session within the limit is created" "$(grep '^c' "$OUT/limit")" 'c 16: 0'
	is "sessions beyond the limit are refused" "$(grep -c "$too_large" "$OUT/limit")" 2
	is "refused sessions: exit status" "$(grep -c '^[bd] .*: 1$' "$OUT/limit")" 2
	like "refused sessions: remedy" "$(grep "$too_large" "$OUT/limit")" 'sessions_mb.*--size'
	like "a start beyond the limit is refused" "$(cat "$OUT/limit")" '^kutrace_control: start: session e: the buffers'
	is "a session is created after another one was destroyed" "$(tail -n 1 "$OUT/limit")" 'd 8: 0'
	is "nothing is left of refused sessions" "$(tr '\n' ' ' <"$OUT/list")" 'main a d main '
	is "the memory is returned" "$(cat "$OUT/again")" 20
	like "without a parameter, the limit is half of the memory" "$(cat "$OUT/half")" '^EDQUOT '
	between "beyond this limit, nothing is allocated" "$(cut -d ' ' -f 2 "$OUT/half")" -100 40
	like "a session within the free memory is created" "$(cat "$OUT/some")" '^ok '
	between "this session takes as much memory as requested" "$(cut -d ' ' -f 2 "$OUT/some")" $((MB - 40)) $((MB + 100))
	like "a session larger than the machine's memory is refused" "$(cat "$OUT/much")" '^ENOMEM '
	between "beyond the machine's memory, nothing is allocated" "$(cut -d ' ' -f 2 "$OUT/much")" -100 40
	like "a process is killed during its allocation" "$(cat "$OUT/killed")" '^killed '
	between "a killed process stops allocating" "$(cut -d ' ' -f 2 "$OUT/killed")" 32 $((MB / 2))
	like "a session larger than its memory cgroup is refused" "$(cat "$OUT/cgroup")" \
		'session big: no memory for its buffer, on this machine or in this memory cgroup'
	like "a name table larger than the memory cgroup is refused" "$(cat "$OUT/cgroup.names")" \
		'session huge: no memory for its buffer, on this machine or in this memory cgroup'
	is "no process is killed because of it" "$(awk '{ n += $2 } $1 != "oom" { k += $2 } END { print k }' "$OUT/oom")" 0
	between "a session's memory is charged to the cgroup" \
		"$(awk '$1 == "with" { print $2 }' "$OUT/charged")" 64 80
	between "a session's memory is uncharged at its end" "$(awk '$1 == "without" { print $2 }' "$OUT/charged")" 0 4
	like "loading with more than the limit is refused, with a message" "$(cat "$OUT/load")" \
		'needs .* MiB: all sessions would have more than 64 MiB \(sessions_mb\)'
fi
tap_end
