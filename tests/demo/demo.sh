#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Is called by `make demo`. Makes two pages in a fresh checkout. Installs what is needed, builds the tools that
# make a page, and makes build/demo/sample.html from a trace in tests/data. Then boots a stock Debian
# kernel in QEMU, records a workload there, and turns the trace into build/demo/demo.json and demo.html
# with the pipeline of the User Guide.
#
# KERNEL=stock-7.2, or another name of tests/guest/kernel.sh, selects that kernel. ARCH=arm64 or
# riscv64 selects one for such a machine, which QEMU emulates, with Linux 6.12 unless KERNEL selects
# another (KERNEL=stock-7.2 ARCH=riscv64 and KERNEL=stock-7.2-riscv64 are the same).
# KERNEL=patched-6.1, -6.12 or -7.2 builds and boots that Linux with the patches instead.
#
# It must never leave a half-made file under one of these names, nor continue after a failed step.
# It must change nothing but the packages of tests/deps.sh, the cache and build/
# (tests/packages/demo.sh). Every step prints how far it is, and has a log in build/demo/log. With
# --name it only prints the kernel's name for kernel.sh. Exit status: 0; 1: a step failed; 2: there is
# no such ARCH or KERNEL, or they contradict each other, and nothing was done.
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

. tests/progress.inc
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
rm -f "$demo"/demo.* "$demo"/.demo.* "$demo"/sample.* "$demo"/.sample.* "$demo/.check" "$demo/.kernel"

# Prints the new messages about downloads in the log of the step, and how far the step is: the line in $KU_PROGRESS, or the number of compiled files. The state is in files, because
# the calls are in another process.
relay()
{
	local log=$1 compile=$2 before now

	read -r before <"$logs/.relayed" || before=0
	now=$(wc -l <"$log")
	if [ "$now" -gt "$before" ]; then
		sed -n "$((before + 1)),${now}s/^\(deps\|kernel\|qemu\|root\): /  &/p" "$log" | {
			if [ -t 2 ]; then sed "s/^/\r$(printf '\033')[K/"; else cat; fi
		} >&2
		echo "$now" >"$logs/.relayed"
	fi
	if [ -s "$logs/.progress" ]; then
		cat "$logs/.progress"
	elif [ "$compile" != 0 ]; then
		echo "compiled $(grep -c -e ' -c .* -o ' -e '^ *CC \[M\]' "$log")${compile#all} files"
	else
		echo "working for $((SECONDS - step_began)) s"
	fi
}

# step TEXT LOGNAME CMD...: prints a line before, how far CMD is, and the reason and the log on failure.
# If CMD is a function, the shell's -e is off in it, so these functions chain commands with &&. A step
# that compiles has the number of files in $compile, as " of 12", or "all" if it is not known.
compile=0
step()
{
	local text=$1 log=$logs/$2.log status=0
	shift 2
	printf 'demo: %3d s  %s\n' $((SECONDS - began)) "$text"
	: >"$log"
	echo 0 >"$logs/.relayed"
	rm -f "$logs/.progress"
	step_began=$SECONDS
	progress_begin relay "$log" "$compile"
	KU_PROGRESS=$logs/.progress "$@" >"$log" 2>&1 </dev/null || status=$?
	progress_end
	relay "$log" 0 >/dev/null
	compile=0
	[ "$status" != 0 ] || return 0
	{
		tail -n 25 "$log" | sed 's/^/  | /'
		echo "demo: failed: $text (status $status); log: $log"
	} >&2
	exit 1
}

# make_of TARGET...: builds the files below $build, or targets. $make may contain options.
make_of()
{
	$make --no-print-directory BUILD="$build" "$@"
}

# Prints how many files make would compile for the targets, as $compile has it.
files_of()
{
	echo " of $(make_of -n "$@" 2>/dev/null | grep -c -e ' -c .* -o ')"
}

dependencies()
{
	tests/deps.sh demo ${machine:+"$machine"} &&
	case $kernel in patched-*) tests/deps.sh kernel ;; esac
}

sample()
{
	xz -dc tests/data/service.trace.xz | "$build/bin/rawtohtml" --template "$build/templates/show_cpu.html" \
		--title 'A slow request of a web service' -o "$demo/.sample.html" &&
	mv "$demo/.sample.html" "$demo/sample.html"
}

# Uses the installed QEMU, or one in the cache.
qemu()
{
	tests/guest/qemu.sh $machine 2>/dev/null || tests/guest/qemu.sh --fetch $machine
}

# Fetches the kernel and builds the module, and for another architecture only the programs that the
# demo runs there.
fetch()
{
	tests/guest/kernel.sh "$kernel"
}

payload()
{
	# shellcheck disable=SC2016 # make replaces the variable
	KU_MAKE="$make GUEST_PROGS=\$(GUEST_BIN)/workload ARM32=" tests/guest/payload.sh $([ "$kernel" = stock ] || echo "$kernel")
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

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
echo "demo: installs packages by apt, and unpacks a kernel and QEMU into $cache."
echo "      The first time, it downloads about 140 MB. It changes nothing else on this machine."
step "install what is missing: compiler, esbuild, busybox" deps dependencies
tools=("$build/bin/rawtohtml" template)
compile=$(files_of "${tools[@]}")
step "build the tools that make a page" build make_of "${tools[@]}"
step "make a page of a recorded trace" sample sample
printf 'demo: %3d s  the first page: %s\n' $((SECONDS - began)) "$demo/sample.html"

programs=("$build/bin/checktrace" "$build/bin/rawtoevent" "$build/bin/eventtospan" "$build/bin/makeself" "$build/bin/spantowhy")
[ -n "$machine" ] || programs+=("$build/bin/static/kutrace_control" "$build/guest/bin/workload")
compile=$(files_of "${programs[@]}")
step "build the recorder, the workload and the filters" programs make_of "${programs[@]}"
step "find or fetch QEMU" qemu qemu
case $kernel in
patched-*) step "build $what (minutes, the first time)" kernel build_kernel ;;
*)
	step "find or fetch $what" kernel fetch
	compile=all
	step "build kutrace.ko for it" module payload
	;;
esac
step "boot $what in QEMU, load kutrace.ko, record the workload (about 40 s)" guest record
step "check the trace" checktrace check
step "rawtoevent | sort -n | eventtospan | sort" pipeline spans
step "makeself" makeself page
summary=$(tests/demo/summary.sh "$demo/demo.events" "$demo/demo.json")
waits=$("$build/bin/spantowhy" --pid workload --json "$demo/demo.json" | tests/demo/waits.sh)
worst=$("$build/bin/spantowhy" --worst 3 "$demo/demo.json")
printf 'demo: %3d s  done\n\n' $((SECONDS - began))
printf '%s\n\n' "$summary"
printf 'The longest waits of the workload, one in each system call:\n\n%s\n\n' "$waits"
printf '%s\n\n' "$worst"
here=$PWD
[ "$demo" = "${demo#/}" ] || here=
cat <<END
The pages:

  $demo/demo.html      this recording
  $demo/sample.html    a slow request of a web service, from tests/data

Open a page in a browser, for example:   xdg-open $demo/demo.html
From another machine, fetch it first:    scp $(id -un)@$(uname -n):${here:+$here/}$demo/demo.html .

Try next:

  make guest                      a shell in that kernel, to record your own programs
  make guest CMD='ls -lR /usr'    records a command there, and makes a page of it
  build/bin/spantowhy --help      why a thread did not run: reads $demo/demo.json
END
