#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Records the golden traces again: stock and patched kernel, 2 and 4 CPUs, a complete recording
# and a wrapped one, each in a guest, with the build in build/. Without names, records all of
# them. Then run regenerate.sh and examine the changes.
#
#	make guest-payload && tests/golden/record.sh [stock|patched[-4cpu][-wrap] ...]
#
# The workload is that of the demo. The wrapped traces have a buffer of 1 MiB, and wrap soon
# because blocks are closed early: off, flush, on.
set -euo pipefail
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- {stock,patched}{,-4cpu}{,-wrap}

cat >"$work/whole" <<'SCRIPT'
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/golden.trace -- workload --disk /dev/vdb >/out/workload.txt
rmmod kutrace
SCRIPT

# A pipe, sleeps, a child process, a name that ends long before the trace, and some pages.
cat >"$work/wrap" <<'SCRIPT'
set -e
insmod /lib/kutrace.ko mb=1
cp /bin/busybox /tmp/early_bird
kutrace_control start --wrap
/tmp/early_bird usleep 20000 >/dev/null 2>&1 || usleep 20000
for round in 1 2 3 4 5 6 7 8 9; do
	for cpu in 0 1 2 3; do
		taskset $((1 << cpu)) usleep 3000 >/dev/null 2>&1 || true
	done
	dd if=/dev/zero bs=1k count=7 2>/dev/null | wc -c >/dev/null
	kutrace_control off
	kutrace_control flush
	kutrace_control on
done >/dev/null
usleep 20000
kutrace_control stop /out/golden.trace
rmmod kutrace
SCRIPT

boot()
{
	tests/guest/boot.sh --kernel "$dir" --cpus $cpus --disk 16 --timeout 240 \
		--script "$script" --out "$work/out" --file "$ko:/lib/kutrace.ko" \
		--file "$BUILD/bin/static/kutrace_control" --file "$BUILD/guest/bin/workload"
}

. "$BUILD/guest/env"
for name; do
	script=$work/whole cpus=2
	case $name in *-4cpu*) cpus=4 ;; esac
	case $name in *-wrap) script=$work/wrap ;; esac
	case $name in
	stock*) dir=$KERNEL_DIR ko=$KO ;;
	patched*)
		found=$(kernel-patches/build.sh)
		dir=$(eval "$found" && echo "$KERNEL_DIR")
		ko=$(find "$dir/lib/modules" -name kutrace.ko)
		;;
	*) echo "record: no golden trace is called $name" >&2; exit 2 ;;
	esac
	# retry: an emulated timer may miss a tick on a busy host
	for try in 1 2 3; do
		! boot || break
		[ $try -lt 3 ] || exit 1
	done
	"$BUILD/bin/checktrace" --strict "$work/out/golden.trace" >"$work/check" ||
		{ cat "$work/check" >&2; exit 1; }
	case $name in
	*-wrap) grep -q '[0-9] blocks, wrapped' "$work/check" ||
		{ echo "record: $name did not wrap" >&2; exit 1; } ;;
	esac
	xz -9c "$work/out/golden.trace" >"tests/golden/$name.trace.xz"
	echo "$name: $(stat -c %s "tests/golden/$name.trace.xz") bytes"
	rm -rf "$work/out"
done
