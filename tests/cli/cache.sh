#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 5
# ci
#
# Tests the cache that checkouts share (tests/cache.sh). A program that stores an entry also removes
# entries that were not used for a long time, but never an entry that a concurrent run uses. Every
# program that uses an entry marks it as used. make clean-cache reports the removed entries.
. tests/tap.sh
tap_begin
export XDG_CACHE_HOME=$TAP_TMP/home
cache=$XDG_CACHE_HOME/kutrace

# entry AGE NAME...: makes folders that were last used AGE ago, with a file in each.
entry()
{
	local age=$1 name
	shift
	for name; do
		mkdir -p "$cache/$name"
		echo "$name" >"$cache/$name/file"
		touch -d "$age ago" "$cache/$name"
	done
}
# hash N: prints a hash of 16 digits.
hash() { printf 'ab12cd34ef56%04d' "$1"; }
there() { ls -A "$cache" | grep -vE '^([.]lock|passed)$' | tr '\n' ' '; }

# --- removal of entries ---
exits "no cache, nothing to drop" 0 tests/cache.sh --trim
exits "no cache, nothing to use" 1 tests/cache.sh --use "$cache/x"
entry '13 days' kernel-linux-image-6.1.0-56-cloud-amd64_6.1.192-2
entry '15 days' source-linux-source-6.1_6.1.1-1 qemu-10.0.2 passed/types-"$(hash 1)"
entry '36 hours' .tmp.going passed/.types.123 npm-"$(hash 7)".Xy1
entry '3 days' .tmp.broken passed/.types.124 apt-sid-20260101 npm-"$(hash 8)".Xy2
entry '60 days' ccache .tmp.tree/tree .tmp.other/tree
entry '3 days' .tmp.tree .tmp.other
touch -d '15 days ago' "$cache/qemu.lock" "$cache/linux-6.1-stripped-$(hash 1).log"
# a build left the first tree for other builds a day ago; a running build has claimed the second tree
ln -s "$cache/.tmp.tree/tree" "$cache/tree-linux-6.1-stripped-$(hash 1)"
touch -hd '1 day ago' "$cache"/tree-*
ln -s "$cache/.tmp.other/tree" "$cache/.tmp.going/left"
touch -d '36 hours ago' "$cache/.tmp.going"
tests/cache.sh --trim 2>"$TAP_TMP/err"
is "entries that are used, or not old enough, stay" "$(there)" ".tmp.going .tmp.other .tmp.tree ccache \
kernel-linux-image-6.1.0-56-cloud-amd64_6.1.192-2 npm-$(hash 7).Xy1 qemu.lock tree-linux-6.1-stripped-$(hash 1) "
is "old results of passed tests are removed as well" "$(ls -A "$cache/passed")" .types.123
like "the message has number and size of the removed entries" "$(cat "$TAP_TMP/err")" "^cache: removed entries from $cache that had not been used for days: 8 entries, [0-9.]+[KM]B\$"
tests/cache.sh --trim 2>"$TAP_TMP/err"
is "without old entries, there is no message" "$(cat "$TAP_TMP/err")" ""
touch -hd '3 days ago' "$cache"/tree-*
tests/cache.sh --trim 2>"$TAP_TMP/err"
is "an unused tree is removed with its link" "$(there | grep -o '[^ ]*tree[^ ]*')" ""
rm -rf "$cache"

# Of each kind, the 8 that were used last remain. Everything used today remains in any case.
for i in $(seq 12); do
	entry "$((i + 1)) days" "linux-6.1-stripped-$(hash "$i")"
	entry "$i hours" "module-6.1.0-56-cloud-amd64-$(hash "$i")"
done
entry '9 days' "linux-6.1-debug-$(hash 1)"
entry '9 days' source-linux-source-6.1_6.1.{1,2,3,4,5,6,7,8,9,10}-1
tests/cache.sh --trim 2>"$TAP_TMP/err"
is "of one kind 8 stay" "$(there | tr ' ' '\n' | sed -n 's/linux-6.1-stripped-ab12cd34ef560*//p' | tr '\n' ' ')" "1 2 3 4 5 6 7 8 "
is "all entries of one day remain" "$(there | tr ' ' '\n' | grep -c ^module)" 12
is "each kind keeps 8 entries of its own" "$(there | tr ' ' '\n' | grep -c ^linux-6.1-debug)" 1
is "entries that differ in the version are different kinds" "$(there | tr ' ' '\n' | grep -c ^source)" 10
rm -rf "$cache"

# --- removal while another program uses an entry ---
# waiting PID: waits until the process waits for the lock.
waiting()
{
	local i
	for i in $(seq 1000); do
		[ -z "$(pgrep -P "$1" -x flock)" ] || return 0
		[ -d "/proc/$1" ] || return 1
		sleep 0.01
	done
	return 1
}
entry '20 days' root-trixie-gcc-14-"$(hash 1)" root-trixie-gcc-14-"$(hash 2)"
exec 8>>"$cache/.lock"
flock -s 8
tests/cache.sh --trim 8>&- 2>"$TAP_TMP/err" &
trim=$!
ok "removing waits for a concurrent use of an entry" waiting $trim
touch "$cache/root-trixie-gcc-14-$(hash 2)"
exec 8>&-
wait $trim
is "removing spares the entry in use and removes the others" "$(there)" "root-trixie-gcc-14-$(hash 2) "
exec 8>>"$cache/.lock"
flock -x 8
tests/cache.sh --use "$cache/root-trixie-gcc-14-$(hash 2)" 8>&- &
use=$!
ok "using an entry waits for a concurrent removal" waiting $use
rm -r "$cache/root-trixie-gcc-14-$(hash 2)"
exec 8>&-
status=0
wait $use || status=$?
is "using a removed entry fails" $status 1
# Many programs run at the same time and change the cache. An entry that --use found must keep its content.
cat >"$TAP_TMP/user" <<'END'
for i in $(seq 15); do
	dir=$1/root-trixie-gcc-14-$2$i
	mkdir "$dir" && echo "$i" >"$dir/file"
	touch -d '20 days ago' "$dir"
	if tests/cache.sh --use "$dir"; then
		[ "$(cat "$dir/file")" = "$i" ] || echo "taken: $dir"
		echo used
	else
		[ ! -d "$dir" ] || echo "there: $dir"
		echo dropped
	fi
done
END
users=()
for user in a b; do
	bash "$TAP_TMP/user" "$cache" "$user" >"$TAP_TMP/user.$user" 2>&1 &
	users+=($!)
done
while kill -0 "${users[@]}" 2>/dev/null; do
	tests/cache.sh --trim 2>/dev/null
done
wait "${users[@]}"
is "no entry in use is removed" "$(grep -hv -x -e used -e dropped "$TAP_TMP"/user.?)" ""
is "each use gets an answer for each entry" "$(cat "$TAP_TMP"/user.? | wc -l)" 30
rm -rf "$cache"

# --- marking an entry as used ---
# counts NAME DIR CMD...: passes if CMD marks the entry DIR, which was last used ten days ago.
counts()
{
	local name=$1 dir=$cache/$2
	shift 2
	touch -d '10 days ago' "$dir"
	"$@" >"$TAP_TMP/out" 2>"$TAP_TMP/err" || true
	between "$name: seconds since it was used" $(($(date +%s) - $(stat -c %Y "$dir"))) 0 100
}
mkdir "$TAP_TMP/bin"
printf '#!/bin/sh\necho "QEMU emulator version 7.2.1"\n' >"$TAP_TMP/bin/qemu-system-x86_64"
printf '#!/bin/sh\nexit 1\n' >"$TAP_TMP/bin/apt-get"
chmod +x "$TAP_TMP"/bin/*
for name in apt-cache npm; do cp "$TAP_TMP/bin/apt-get" "$TAP_TMP/bin/$name"; done

root=$(tests/guest/root.sh --name trixie 14)
entry '10 days' "${root##*/}" qemu-10.0.2 kernel-and-headers-linux-image-7.2.1+y-cloud-amd64_7.2.1-1 kernel-x
printf '#!/bin/sh\necho "QEMU emulator version 10.0.2"\n' >"$cache/qemu-10.0.2/run"
chmod +x "$cache/qemu-10.0.2/run"
counts "a compiler's root" "${root##*/}" tests/guest/root.sh --make trixie 14
is "the used entry is the expected one" "$(cat "$TAP_TMP/out")" "$root"
counts "a QEMU" qemu-10.0.2 env PATH="$TAP_TMP/bin:$PATH" KUTRACE_QEMU= tests/guest/qemu.sh
like "the used entry is the expected one" "$(cat "$TAP_TMP/out")" "^QEMU='$cache/qemu-10.0.2/run'"
counts "a kernel by its name" kernel-and-headers-linux-image-7.2.1+y-cloud-amd64_7.2.1-1 \
	env PATH="$TAP_TMP/bin:$PATH" tests/guest/kernel.sh stock-7.2
like "the used entry is the expected one" "$(cat "$TAP_TMP/out")" "^KVER='7.2.1\+y-cloud-amd64'"
# boot.sh stops because the folder has no kernel, but has already marked the entry
mkdir "$cache/kernel-x/boot"
counts "booting a guest" kernel-x tests/guest/boot.sh --script "$0" --out "$TAP_TMP/out.d" --kernel "$cache/kernel-x"
like "the guest script stopped at the missing kernel" "$(cat "$TAP_TMP/err")" "no vmlinuz in $cache/kernel-x"
cat >"$TAP_TMP/source" <<'END'
here=$(realpath kernel-patches) kver=6.1
die() { echo "$*" >&2; exit 1; }
. "$here/lib.sh"
apt_version() { echo 6.1.1-1; }
kernel_source
echo "$source"
END
entry '10 days' source-linux-source-6.1_6.1.1-1
counts "a kernel's source" source-linux-source-6.1_6.1.1-1 bash "$TAP_TMP/source"
is "the used entry is the expected one" "$(cat "$TAP_TMP/out")" "$cache/source-linux-source-6.1_6.1.1-1"
npm=npm-$(sha256sum tests/speedscope/package-lock.json | cut -c1-64)
entry '10 days' "$npm/node_modules" "$npm"
counts "packages of npm" "$npm" env PATH="$TAP_TMP/bin:$PATH" templates/modules.sh tests/speedscope
is "the used entry is the expected one" "$(cat "$TAP_TMP/out")" "$cache/$npm/node_modules"

# --- storing an entry removes others ---
# drops NAME CMD...: CMD stores a new entry. Passes if this removes an entry that was last used a month ago, and keeps an
# entry that was last used a week ago.
drops()
{
	local name=$1
	shift
	entry '30 days' "kernel-old"
	entry '7 days' "kernel-week"
	"$@" >"$TAP_TMP/out" 2>&1 || diag "$name: $(tail -n 3 "$TAP_TMP/out")"
	is "$name: an old entry is dropped" "$(there | tr ' ' '\n' | grep ^kernel-[ow] | tr '\n' ' ')" "kernel-week "
}
rm -rf "$cache"
cat >"$TAP_TMP/bin/npm" <<'END'
#!/bin/sh
mkdir node_modules
END
drops "packages of npm" env PATH="$TAP_TMP/bin:$PATH" templates/modules.sh tests/speedscope
ok "the new entry exists" test -d "$cache/$npm/node_modules"
cat >"$TAP_TMP/test" <<'END'
. tests/tap.sh
. tests/reuse.inc
tap_begin
part() { pass "one"; }
reuse cached part </dev/null
tap_end
END
drops "storing a passed result" bash "$TAP_TMP/test"
is "the new entry exists" "$(ls "$cache/passed" | grep -c '^cached-')" 1
touch -d '10 days ago' "$cache"/passed/cached-*
counts "using a passed result" "passed/$(ls "$cache/passed")" bash "$TAP_TMP/test"
like "the reused result is the expected one" "$(cat "$TAP_TMP/out")" '^ok 1 - one \(reused\)'
kdir=$TAP_TMP/kernel
mkdir -p "$kdir/include/generated"
touch "$kdir/.config" "$kdir/Module.symvers" "$kdir/include/generated/utsrelease.h"
cat >"$TAP_TMP/make" <<'END'
#!/bin/sh
mkdir -p "${4#BUILD=}/module/1.2.3"
cd "${4#BUILD=}/module/1.2.3" && touch kutrace.ko Module.symvers
END
chmod +x "$TAP_TMP/make"
drops "a module" env KU_MAKE="$TAP_TMP/make" tests/guest/module_build.sh "$kdir" 1.2.3 "$TAP_TMP/build"
module=$(cd "$cache" && echo module-1.2.3-*)
counts "a module" "$module" env KU_MAKE=false tests/guest/module_build.sh "$kdir" 1.2.3 "$TAP_TMP/build"

# --- make clean-cache ---
rm -rf "$cache"
entry '0 days' ccache linux-6.1-stripped-"$(hash 1)" linux-6.1-debug-"$(hash 1)" passed/x .tmp.broken
truncate -s 0 "$cache/ccache/file"
dd if=/dev/zero of="$cache/linux-6.1-debug-$(hash 1)/large" bs=1M count=3 status=none
said=$(${MAKE:-make} --no-print-directory clean-cache BUILD="$TAP_TMP/build" 2>&1)
is "clean-cache: nothing is left" "$(ls -A "$cache")" .lock
like "clean-cache: the message has kind and size" "$said" '^ *[45] MiB  linux \(2\)$'
like "clean-cache: the message has the size of broken builds" "$said" '^ *1 MiB  of aborted builds \(1\)$'
like "clean-cache: the message has the total size" "$said" '^ *[78] MiB  total$'
like "clean-cache: the message names the folder" "$said" "^removed from $cache\$"
rm -rf "$cache"
like "clean-cache: without a cache, the message reports that" "$(tests/cache.sh --clean)" "does not exist"
like "make help lists clean-cache" "$(${MAKE:-make} --no-print-directory help)" '^make clean-cache '
tests/cache.sh --frobnicate >"$TAP_TMP/out" 2>"$TAP_TMP/err"
is "an unknown option is a usage error" "$?$(grep -c 'tests/cache.sh --' "$TAP_TMP/err")" 23
tap_end
