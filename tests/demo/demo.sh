#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs `make demo`, from a fresh checkout to a page. Installs what is needed, builds, boots a stock
# Debian kernel in QEMU, records a workload there, and turns the trace into build/demo/demo.json and
# demo.html with the pipeline of the User Guide.
#
# KERNEL=stock-7.2, or another name of tests/guest/kernel.sh, selects that kernel. ARCH=arm64 or
# riscv64 selects one for such a machine, which QEMU emulates, with Linux 6.12 unless KERNEL selects
# another (KERNEL=stock-7.2 ARCH=riscv64 and KERNEL=stock-7.2-riscv64 are the same).
# KERNEL=patched-6.1, -6.12 or -7.2 builds and boots that Linux with the patches instead.
#
# It must never leave a half-made file under one of these names, nor continue after a failed step.
# Every step has a log in build/demo/log. With --name it only prints the kernel's name for
# kernel.sh. Exit status: 0; 1: a step failed; 2: there is no such ARCH or KERNEL, or they
# contradict each other, and nothing was done.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
make=${KU_MAKE:-make}
demo=$build/demo
logs=$demo/log
began=$SECONDS

refuse()
{
	echo "demo: $*" >&2
	exit 2
}

. tests/guest/arch.inc
kernel_for_arch "${KERNEL:-stock}" "${ARCH-}"
case $kernel in
stock) what="the stock Debian kernel" ;;
stock-*) what="Debian's kernel ${kernel#*-}" ;;
patched-*-*) refuse "no demo on $kernel: patched ones are for amd64 here, KERNEL=stock-SERIES for $machine" ;;
patched-*) what="the patched Linux ${kernel#*-}" ;;
*) refuse "no kernel $kernel: stock, stock-SERIES[-FLAVOUR] as stock-7.2, or patched-SERIES" ;;
esac
[ "${1-}" != --name ] || { echo "$kernel"; exit; }
mkdir -p "$logs"
rm -f "$demo"/demo.* "$demo"/.demo.* "$demo/.check" "$demo/.kernel"

# step TEXT LOGNAME CMD...: prints a line before, and the reason and the log on failure. If CMD is a
# function, the shell's -e is off in it, so these functions chain commands with &&.
step()
{
	local text=$1 log=$logs/$2.log status=0
	shift 2
	printf 'demo: %3d s  %s\n' $((SECONDS - began)) "$text"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	[ "$status" != 0 ] || return 0
	{
		tail -n 25 "$log" | sed 's/^/  | /'
		echo "demo: failed: $text (status $status); log: $log"
	} >&2
	exit 1
}

dependencies()
{
	tests/deps.sh tools module guest page ${machine:+"$machine"} &&
	case $kernel in patched-*) tests/deps.sh kernel ;; esac
}

build_all()
{
	# $make may contain options
	case $kernel in
	stock-*)
		$make --no-print-directory BUILD="$build" tools template guest-programs &&
			tests/guest/payload.sh "$kernel"
		;;
	*) $make --no-print-directory BUILD="$build" tools template guest-payload ;;
	esac
}

build_kernel()
{
	kernel-patches/build.sh --kver "${kernel#*-}" | tee "$demo/.kernel"
}

record()
{
	case $kernel in
	stock) . "$build/guest/env" ;;
	stock-*) . "$build/guest/env-$kernel" ;;
	*) . "$demo/.kernel" ;;
	esac &&
	rm -rf "$demo/guest" &&
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --cpus 2 --disk 16 --timeout 400 \
		--script tests/demo/guest.sh --out "$demo/guest" --file "$KO:/lib/kutrace.ko" \
		--file "${GUEST_BUILD:-$build}/bin/static/kutrace_control" \
		--file "${GUEST_BUILD:-$build}/guest/bin/workload" &&
	{ [ -s "$demo/guest/demo.trace" ] || { echo "the guest left no trace"; false; }; } &&
	mv "$demo/guest/demo.trace" "$demo/demo.trace"
}

check()
{
	"$build/bin/checktrace" "$demo/demo.trace" >"$demo/.check" &&
	cat "$demo/.check" &&
	{ grep -q '^lost: 0 events' "$demo/.check" || { echo "events were lost"; false; }; } &&
	rm "$demo/.check"
}

# The guide's pipeline; tee keeps the event text for the summary.
spans()
{
	export LC_ALL=C
	"$build/bin/rawtoevent" "$demo/demo.trace" | sort -n | tee "$demo/.demo.events" |
		"$build/bin/eventtospan" "KUtrace demo: $what" | sort >"$demo/.demo.json" &&
	mv "$demo/.demo.events" "$demo/demo.events" &&
	mv "$demo/.demo.json" "$demo/demo.json"
}

page()
{
	"$build/bin/makeself" "$build/templates/show_cpu.html" <"$demo/demo.json" \
		>"$demo/.demo.html" &&
	mv "$demo/.demo.html" "$demo/demo.html"
}

step "install what is missing (packages by apt)" deps dependencies
case $kernel in
stock-*) step "build tools, page, module; fetch and unpack $what and its compiler" build build_all ;;
*) step "build tools, page, module; fetch and unpack the stock kernel" build build_all ;;
esac
case $kernel in patched-*) step "build $what (minutes, the first time)" kernel build_kernel ;; esac
step "boot $what in QEMU, load kutrace.ko, record the workload" guest record
step "check the trace" checktrace check
step "rawtoevent | sort -n | eventtospan | sort" pipeline spans
step "makeself" makeself page
summary=$(tests/demo/summary.sh "$demo/demo.events" "$demo/demo.json")
printf 'demo: %3d s  done\n\n' $((SECONDS - began))
printf '%s\n\n' "$summary"
printf '%s\n' "$demo/demo.trace" "$demo/demo.json" "$demo/demo.html"
