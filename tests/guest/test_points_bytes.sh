#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 45
# needs: patched
# ci
# also: debug_points KUTRACE_PATCHED_CONFIG=debug timeout: 900 takes: 300 needs: debug full
#
# When a call that switches a typed tracepoint returns, the tracepoint's byte has its new value. The
# calls are each switch, mask, start and stop. The bytes belong to running programs: two processes,
# a library that was loaded later, a fork's parent and child, and a program that has closed all
# descriptors. The module does not write where a library was unloaded, counts bytes that it cannot
# write, limits the number of bytes, and forgets processes that have ended. On the debug kernel,
# lockdep checks the order of the many locks.
. tests/guest/lib.sh
guest_begin points_bytes${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}

# A plugin needs a dynamically linked program, with its libraries. For another architecture, its
# compiler finds the libraries.
case $KARCH in
arm64) cc=aarch64-linux-gnu-gcc ;;
riscv64) cc=riscv64-linux-gnu-gcc ;;
*) cc=${CC:-cc} ;;
esac
built()
{
	flags="-O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -Imodule/uapi -Icontrol/include"
	# shellcheck disable=SC2086 # a list
	$cc $flags tests/guest/plugin/host.c -L"$GUEST_BUILD/lib" -lkutrace -ldl -lpthread \
		-o "$OUT/host" &&
		$cc $flags -shared -fPIC tests/guest/plugin/plugin.c -L"$GUEST_BUILD/lib" \
			-lkutrace -o "$OUT/plugin.so"
}
ok "a program and its plugin are built" built
# Prints FROM:TO for each library that the program needs.
libraries()
{
	local name path

	readelf -d "$OUT/host" "$GUEST_BUILD"/lib/libkutrace.so |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | sort -u | while read -r name; do
			path=$GUEST_BUILD/lib/$name
			[ -f "$path" ] || path=$($cc -print-file-name="$name")
			echo "$path:/lib/$name"
		done
	# Print the loader of these libraries, with the path that the program contains.
	path=$(readelf -l "$OUT/host" | sed -n 's/.*interpreter: \(.*\)\]$/\1/p')
	echo "$($cc -print-file-name="${path##*/}"):$path"
}
files=()
while read -r lib; do
	files+=(--file "$lib")
done < <(libraries)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
export LD_LIBRARY_PATH=/lib
d=/dev/kutrace
serve()		# NAME IN OUT: starts host, with commands by descriptor IN and answers by OUT
{
	mkfifo /tmp/$1.in /tmp/$1.out
	host </tmp/$1.in >/tmp/$1.out &
	eval "exec $2>/tmp/$1.in $3</tmp/$1.out"
	read -r word pid <&$3
	eval "$1=$pid"
}
say()		# NAME COMMAND...
{
	case $1 in a) in=4 out=5 ;; b) in=6 out=7 ;; esac
	name=$1
	shift
	echo "$*" >&$in
	read -r answer <&$out
	echo "$name $*: $answer" >>/out/answers
}
both()		# WHEN: records the state of both programs
{
	echo "- $1" >>/out/answers
	say a state
	say b state
}
# Prints the number of address spaces (mm_struct). The number varies, because some are freed a
# little later, and this function itself starts a process.
memories()
{
	[ ! -w /sys/kernel/slab/mm_struct/shrink ] || echo 1 >/sys/kernel/slab/mm_struct/shrink
	awk '$1 == "mm_struct" { print $2 }' /proc/slabinfo
}
must insmod /lib/kutrace.ko mb=64 marks_all=1
serve a 4 5
serve b 6 7
both "not recorded"
say a spin 1
say b spin 1
must kutrace_control go
both "recorded"
say a spun
say b spun
say a spin 0
say b spin 0
tpoints switch 'tp_*' off >>/out/answers
both "off, by pattern"
say a spun
say b spun
tpoints switch 'tp_*' on >>/out/answers
both "on, by pattern"
tpoints switch tp_main off >>/out/answers
both "one of them off"
echo 'tp_main on' >$d/tracepoints || die "cannot write $d/tracepoints"
both "on, by the file"
must kutrace_control mask -point >/dev/null
both "masked"
must kutrace_control mask +point >/dev/null
both "not masked any more"
say a load
say b state
tpoints switch tp_plug off >>/out/answers
say a state
tpoints switch tp_plug on >>/out/answers
say a state

# A child has its own bytes, on pages that it shares with its parent until a write.
say a fork
say a child state
tpoints switch 'tp_*' off >>/out/answers
say a state
say a child state
tpoints switch 'tp_*' on >>/out/answers
say a child state
say a state
say a child exit
tpoints switch 'tp_*' off >>/out/answers
say a state
say a fork
tpoints switch 'tp_*' on >>/out/answers
say a state
say a child state
# After the child unloads a library, the parent still has it.
say a child closeall
say a child unload
tpoints switch 'tp_*' off >>/out/answers
tpoints switch 'tp_*' on >>/out/answers
say a child untouched
say a state
say a child exit
# The library does not notice a child by clone(). The child's bytes do not change, and its hits are
# recorded only while the tracepoint is on.
say b clone
tpoints switch tp_main off >>/out/answers
say b state
say b child state
say b child hit 17
tpoints switch tp_main on >>/out/answers
say b child hit 19
say b child exit

# After the plugin is unloaded, the module must not write to its memory.
say a unload
tpoints switch 'tp_*' off >>/out/answers
tpoints switch 'tp_*' on >>/out/answers
say a untouched
say a state
# After all descriptors are closed, the mapping keeps the bytes registered. Then the plugin opens
# another descriptor.
say b closeall
tpoints switch 'tp_*' off >>/out/answers
say b state
say b load
tpoints switch 'tp_*' on >>/out/answers
say b state
say b closeall
say b unload
tpoints switch 'tp_*' off >>/out/answers
tpoints switch 'tp_*' on >>/out/answers
say b untouched
say b state
say b hit 23

host odd >/out/odd
# The command reports that a byte cannot be written, and the remedy in its message works.
mkfifo /tmp/l.in /tmp/l.out
host locked </tmp/l.in >/tmp/l.out &
exec 8>/tmp/l.in 9</tmp/l.out
locked() { read -r line <&9; echo "$line" >>/out/locked; }
turn() { echo "$1" >>/out/locked; must kutrace_control tracepoint locked_up $1 2>>/out/locked; }
locked
turn off
echo >&8
locked
turn on
turn off
echo >&8
locked
exec 8>&- 9<&-
host limits >/out/limits
tpoints switch 'tp_*' off >>/out/answers
tpoints switch 'tp_*' on >>/out/answers

# Programs are killed while they have bytes, and while the bytes are switched.
say a fork
kill -9 $a
exec 4>&- 5<&-
wait $a
tpoints switch 'tp_*' off >>/out/answers
say b state
tpoints switch 'tp_*' on >>/out/answers
i=0
while [ $i -lt 60 ]; do
	host </dev/zero >/dev/null &
	pid=$!
	tpoints switch 'tp_*' off >/dev/null
	tpoints switch 'tp_*' on >/dev/null
	kill -9 $pid
	i=$((i + 1))
done
say b state
must kutrace_control stop /out/t.trace
say b state
exec 6>&- 7<&-
wait
host many 10 >/dev/null
[ ! -f /proc/slabinfo ] || before=$(memories)
host many 600 >/out/many
if [ -f /proc/slabinfo ]; then
	i=0
	while now=$(memories) && [ $((now - before)) -gt 200 ] && [ $i -lt 300 ]; do
		usleep 100000
		i=$((i + 1))
	done
	echo "$before $now" >/out/mm
fi
[ ! -f /proc/lockdep_stats ] || cat /proc/lockdep_stats >/out/lockdep
must rmmod kutrace
SCRIPT

cat >"$TAP_TMP/expected" <<'EXPECTED'
- not recorded
a state: main=0 other=0
b state: main=0 other=0
a spin 1: spinning
b spin 1: spinning
- recorded
a state: main=1 other=1
b state: main=1 other=1
a spun: seen
b spun: seen
a spin 0: spinning
b spin 0: spinning
switched 2
- off, by pattern
a state: main=0 other=0
b state: main=0 other=0
a spun: seen
b spun: seen
switched 2
- on, by pattern
a state: main=1 other=1
b state: main=1 other=1
switched 1
- one of them off
a state: main=0 other=1
b state: main=0 other=1
- on, by the file
a state: main=1 other=1
b state: main=1 other=1
- masked
a state: main=0 other=0
b state: main=0 other=0
- not masked any more
a state: main=1 other=1
b state: main=1 other=1
a load: main=1 other=1 plug=1
b state: main=1 other=1
switched 1
a state: main=1 other=1 plug=0
switched 1
a state: main=1 other=1 plug=1
a fork: child N
a child state: main=1 other=1 plug=1
switched 3
a state: main=0 other=0 plug=0
a child state: main=0 other=0 plug=0
switched 3
a child state: main=1 other=1 plug=1
a state: main=1 other=1 plug=1
a child exit: gone
switched 3
a state: main=0 other=0 plug=0
a fork: child N
switched 3
a state: main=1 other=1 plug=1
a child state: main=1 other=1 plug=1
a child closeall: closed
a child unload: unloaded
switched 3
switched 3
a child untouched: untouched
a state: main=1 other=1 plug=1
a child exit: gone
b clone: child N
switched 1
b state: main=0 other=1
b child state: main=1 other=1
b child hit 17: done 17
switched 1
b child hit 19: done 36
b child exit: gone
a unload: unloaded
switched 3
switched 3
a untouched: untouched
a state: main=1 other=1
b closeall: closed
switched 3
b state: main=0 other=0
b load: main=0 other=0 plug=0
switched 3
b state: main=1 other=1 plug=1
b closeall: closed
b unload: unloaded
switched 3
switched 3
b untouched: untouched
b state: main=1 other=1
b hit 23: done 23
switched 3
switched 3
a fork: child N
switched 3
b state: main=0 other=0
switched 3
b state: main=1 other=1
b state: main=0 other=0
EXPECTED

cat >"$TAP_TMP/odd" <<'EXPECTED'
on 1 1 1
behind 2
off 0 1
behind 1
behind 1
off 0 0
behind 0
on 0 0 1
forget 0
behind 0
on 1
EXPECTED

cat >"$TAP_TMP/locked" <<'EXPECTED'
locked 1 1
off
kutrace_control: tracepoint: cannot switch 2 tracepoints of running programs yet
open 1 1
on
off
locked 0 0
EXPECTED

run_on()	# NAME BOOT-OPTION...
{
	name=$1
	shift
	guest_run "$TAP_TMP/script" --timeout 600 --file "$GUEST_BIN/tpoints" "$@" \
		--file "$OUT/host" --file "$OUT/plugin.so:/lib/plugin.so" "${files[@]}" || return
	if [ "$KUTRACE_PATCHED_CONFIG" = debug ]; then
		like "$name: lockdep was active until the end" "$(cat "$OUT/lockdep")" \
			'debug_locks: +1$'
		like "$name: the kernel has KASAN" "$(cat "$KERNEL_DIR"/boot/config-*)" '^CONFIG_KASAN=y$'
	fi
	sed 's/child [0-9][0-9]*$/child N/' "$OUT/answers" >"$OUT/got"
	ok "$name: every byte is switched when the call returns" \
		diff "$TAP_TMP/expected" "$OUT/got"
	ok "$name: unwritable memory is counted, and nothing else is written" \
		diff "$TAP_TMP/odd" "$OUT/odd"
	sed 's/ yet: .*/ yet/' "$OUT/locked" >"$OUT/locked.got"
	ok "$name: kutrace_control reports unwritable memory with a remedy that works" \
		diff "$TAP_TMP/locked" "$OUT/locked.got"
	trace_ok "$name" "$OUT/t.trace"
	ok "$name: event text" trace_text "$OUT/t.trace"
	# b made 23 hits, and its child 19. The child also made 17 hits while the tracepoint was
	# off.
	is "$name: a child with stale bytes: only hits while the tracepoint is on are recorded" \
		"$(event_awk '!/^#/ && $3 == EV_TPOINT && $10 == "tp_main"' "$OUT/t.trace.events" | wc -l)" 42
	is "$name: users who may only mark: limits for a process and for a user" \
		"$(sort "$OUT/limits" | grep marker | uniq -c | awk '{ print $1, $3, $4 }' |
		tr '\n' ' ')" "14 0 ENOSPC 4 1024 ENOSPC "
	is "$name: users who may control: limit for a process" \
		"$(grep control "$OUT/limits" | uniq -c | awk '{ print $1, $3, $4 }')" "2 4096 ENOSPC"
	like "$name: the program continues, and later bytes are accepted after the others are removed" \
		"$(tr '\n' ' ' <"$OUT/limits")" 'meanwhile main=1 later 1024 ENOSPC $'
	read -r _ refused _ _ _ _ kept <"$OUT/many"
	is "$name: processes with a byte by another process's descriptor: none refused" "$refused" 0
	if [ -f "$OUT/mm" ]; then
		between "$name: memory of ended processes is freed while the descriptor is open" "$kept" -1000 300
		read -r before after <"$OUT/mm"
		between "$name: memory of ended processes is freed" "$((after - before))" -1000 200
	else
		skip "$name: memory of ended processes is freed" "this kernel does not count objects"
	fi
}
on_both_kernels "--cpus 2" "--cpus 4"

# FUSE is a module of the stock kernel, and built into the debug kernel.
if [ "$KUTRACE_PATCHED_CONFIG" = debug ]; then
	patched_kernel
	fuse=
else
	[ -n "$KERNEL" ] || . "$BUILD/guest/env"
	fuse=$(find "$KERNEL_DIR/lib/modules" -name 'fuse.ko*')
	# Most modules are compressed, except for those that all guests load.
	case $fuse in
	*.xz) xz -dc "$fuse" >"$OUT/fuse.ko" && fuse=$OUT/fuse.ko ;;
	esac
fi
if [ -z "$fuse" ] && ! grep -q '^CONFIG_FUSE_FS=y' "$KERNEL_DIR"/boot/config-*; then
	skip "a process whose page is never read in" "no FUSE in this kernel"
else
	cat >"$TAP_TMP/slow" <<'SCRIPT'
#!/bin/sh
[ ! -f /lib/fuse.ko ] || must insmod /lib/fuse.ko
must insmod /lib/kutrace.ko mb=8
must kutrace_control go
slow_page >/out/slow 2>&1
# If the program hangs, rmmod would never end.
tail -n 1 /out/slow | grep -q hangs && exit 0
must kutrace_control stop /out/slow.trace
must rmmod kutrace
SCRIPT
	cat >"$TAP_TMP/slow-expected" <<'EXPECTED'
at first: its 1, mine 1
its page is never read in: at once, behind 0, mine 0
still: at once, behind 0, mine 1
still: at once, behind 0, mine 0
it has come: its 0
it has come: at once, behind 0, mine 1
once more: at once, behind 0, mine 0
killed meanwhile: at once, behind 0, mine 1
killed meanwhile: at once, behind 0, mine 0
killed meanwhile: in use
EXPECTED
	if guest_run "$TAP_TMP/slow" --cpus 2 --file "$GUEST_BIN/slow_page" \
		${fuse:+--file} ${fuse:+"$fuse:/lib/fuse.ko"}; then
		ok "a process whose page is never read in: no other caller waits for it" \
			diff "$TAP_TMP/slow-expected" "$OUT/slow"
	fi
fi
tap_end
