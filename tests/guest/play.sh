#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs `make guest`: boots a kernel in QEMU with kutrace.ko loaded, and gives a root shell in the guest
# on this terminal, without a password. The end of the shell ends the guest. Builds the kernel's module if
# needed; `make guest` also builds the tools.
#
#	tests/guest/play.sh [options] [CMD]
#
#	--kernel NAME	the kernel, as kernel.sh names it: stock (default), stock-6.12, 7.2-rt ...; or
#			patched-SERIES (default: $KERNEL)
#	--arch ARCH	amd64 (default), arm64 or riscv64 (default: $ARCH)
#	--cpus N	number of CPUs (default: $CPUS, or 2)
#	--memory MIB	memory of the guest (default: $MEMORY, or 1024; with --root debian 2048)
#	--root busybox	the guest has busybox, and the tools of this checkout (default: $ROOT)
#	--root debian	the guest has a small Debian with apt, which keeps its changes (debian.sh)
#	--share DIR	a folder of the host that the guest has at /share (default: $SHARE, or
#			$BUILD/guest/share)
#	--fresh		with --root debian: discards the changes of earlier guests first
#	CMD		a shell command that the guest runs under a recording, instead of a shell. Its output
#			comes to stdout and stderr, and the shared folder gets cmd.trace, cmd.html, cmd.out
#			and cmd.err. An empty CMD is no command
#
# The guest sees changes in the shared folder immediately, and so does the host. If virtiofsd or the kernel's
# driver is missing, the guest's files come to the host when the guest ends.
#
# Uses KVM if a kernel boots with it, and otherwise emulation (TCG), which is slower. With KUTRACE_ACCEL=tcg
# or kvm it uses that.
#
# Exit status: without CMD 0, with CMD the command's; 1 the guest cannot start, or ended without a result;
# 2 usage; 77 the kernel is not available.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}

usage()
{
	[ $# = 0 ] || echo "guest: $*" >&2
	sed -n '/^#	tests/,/^# The guest sees/{/^# The/d; s/^#\t\{0,1\}//p}' tests/guest/play.sh >&2
	exit 2
}

# The name is for arch.inc.
refuse()
{
	usage "$@"
}

die()
{
	echo "guest: $*" >&2
	exit 1
}

name=${KERNEL:-stock} arch=${ARCH-} cpus=${CPUS:-2} memory=${MEMORY-} root=${ROOT:-busybox} share=${SHARE:-$build/guest/share} fresh=''
while [ $# -gt 0 ]; do
	case $1 in
	--fresh) fresh=1; shift; continue ;;
	--) shift; break ;;
	--*) [ $# -ge 2 ] || usage "$1 needs a value, or is not an option" ;;
	*) break ;;
	esac
	case $1 in
	--kernel) name=$2 ;;
	--arch) arch=$2 ;;
	--cpus) cpus=$2 ;;
	--memory) memory=$2 ;;
	--root) root=$2 ;;
	--share) share=$2 ;;
	*) usage "unknown option $1" ;;
	esac
	shift 2
done
[ $# -le 1 ] || usage "give the command as one word: CMD='ls -l'"
command=${1-}
: "${memory:=$([ "$root" = debian ] && echo 2048 || echo 1024)}"
[[ $cpus =~ ^[1-9][0-9]{0,2}$ ]] || usage "bad number of CPUs \"$cpus\" (example: 4)"
[[ $memory =~ ^[1-9][0-9]{2,6}$ ]] || usage "bad memory \"$memory\": a number of MiB, at least 100 (example: 2048)"
[ "${share#*,}" = "$share" ] || usage "bad shared folder \"$share\": virtiofsd needs a name without a comma"
case $root in
busybox | debian) ;;
*) usage "--root: bad root \"$root\" (busybox or debian)" ;;
esac
# An architecture is added to names that begin with stock-.
[[ ! $name =~ ^[0-9] ]] || name=stock-$name
. tests/guest/arch.inc
kernel_for_arch "$name" "$arch"
case $kernel in
patched) kernel=patched-6.1 ;;
esac
[ "$root" = busybox ] || [ -z "$machine" ] || usage "--root debian is for amd64 only; leave out ROOT= with $machine"
[ -n "$command" ] || { [ -t 0 ] && [ -t 1 ]; } || die "the shell needs a terminal; try: make guest CMD='ls -l'"

# --- the kernel and its module ---
# Otherwise the variables of make guest would be variables of kbuild.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS ARCH KERNEL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Succeeds if payload.sh wrote the file within a day, after the last change of the module's sources. payload.sh takes some
# seconds to query apt for the newest kernel.
payload_is_new()	# FILE
{
	[ -n "$(find "$1" -mmin -1440 2>/dev/null)" ] &&
		[ -z "$(find module tests/guest/{kernel,payload,module_build}.sh tests/guest/prog control -type f -newer "$1" | head -n 1)" ] &&
		(. "$1" && [ -f "$KO" ] && tests/cache.sh --use "$KERNEL_DIR")
}

# Sets the variables of payload.sh for $kernel. Shows a command's messages only if it fails.
find_kernel()
{
	local status=0 found env

	case $kernel in
	patched-*[0-9])
		found=$(kernel-patches/build.sh --kver "${kernel#patched-}") || exit 1
		eval "$found"
		KVER=$KRELEASE MODULES=$KERNEL_DIR/lib/modules/$KRELEASE GUEST_BUILD=$build KARCH=
		;;
	*)
		[ "$kernel" = stock ] && env=$build/guest/env || env=$build/guest/env-$kernel
		if ! payload_is_new "$env"; then
			echo "guest: looking for the kernel $kernel, and building the module if needed" >&2
			# shellcheck disable=SC2046 # one word or none
			BUILD=$build tests/guest/payload.sh $([ "$kernel" = stock ] || echo "$kernel") >"$work/log" 2>&1 || status=$?
			[ $status = 0 ] || { tail -n 5 "$work/log" >&2; exit $status; }
		fi
		. "$env"
		;;
	esac
}

# --- the accelerator ---

# Succeeds if Linux starts under KVM. Some machines have a /dev/kvm that opens, but no kernel boots with it.
# The result is valid until the host boots again or another kernel is tested.
kvm_boots()
{
	local key known=$build/guest/kvm

	[ "$(uname -m)" = x86_64 ] && [ -z "$machine" ] && (exec 3<>/dev/kvm) 2>/dev/null || return 1
	key="$(cat /proc/sys/kernel/random/boot_id) $KERNEL_DIR"
	if ! grep -qxF -e "$key yes" -e "$key no" "$known" 2>/dev/null; then
		# The braces hide the shell's message about a QEMU that aborts.
		if { timeout 10 "$QEMU" -nodefaults -no-user-config -display none -no-reboot -accel kvm -cpu max -m 256 \
				-serial "file:$work/kvm" -kernel "$VMLINUZ" -append "earlyprintk=ttyS0 console=ttyS0 panic=-1" \
				</dev/null; } >/dev/null 2>&1; [ -f "$work/kvm" ] && grep -q 'Kernel panic' "$work/kvm"; then
			echo "$key yes" >"$known"
		else
			echo "$key no" >"$known"
		fi
	fi
	grep -qxF "$key yes" "$known"
}

# Sets $accel, the option of boot.sh, and prints a line.
choose_accelerator()
{
	local found

	found=$(tests/guest/qemu.sh $machine) || exit 1
	eval "$found"
	VMLINUZ=$(find "$KERNEL_DIR/boot" -name 'vmlinuz-*' | head -n 1)
	accel=()
	case ${KUTRACE_ACCEL-} in
	kvm) accel=(--kvm) ;;
	tcg) ;;
	'') ! kvm_boots || accel=(--kvm) ;;
	*) usage "no accelerator ${KUTRACE_ACCEL}: kvm or tcg" ;;
	esac
	if [ ${#accel[@]} != 0 ]; then
		echo "guest: KVM runs the CPUs: times in a trace are nearly those of this machine" >&2
	elif [ "$QEMU_THREADS" = single ]; then
		echo "guest: QEMU emulates the CPUs, alternately on one thread: times are many times longer than with KVM, and one CPU waits for another" >&2
	else
		echo "guest: QEMU emulates the CPUs (no KVM): times are many times longer; compare times only within a trace" >&2
	fi
}

# --- the content of the guest ---

# Makes $tree/opt/kutrace from what `make install` installs: programs, man pages, completion and page.
# Also formats the man pages if this machine can, because busybox cannot.
install_tools()
{
	local page

	rm -rf "$tree"
	mkdir -p "$tree/opt/kutrace/bin"
	if [ -z "$machine" ]; then
		${KU_MAKE:-make} --no-print-directory install BUILD="$build" DESTDIR="$(realpath "$tree")" PREFIX=/opt/kutrace \
			>"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; die "the tools are not built; try: make tools template"; }
		rm -rf "$tree"/opt/kutrace/{lib,include}
		strip "$tree"/opt/kutrace/bin/*
		libraries
	else
		for page in docs/reference/man/*.[1-9]; do
			install -D -m u=rw,go=r "$page" "$tree/opt/kutrace/share/man/man${page##*.}/${page##*/}"
		done
		cp "$GUEST_BUILD/bin/static/kutrace_control" "$tree/opt/kutrace/bin/"
	fi
	command -v nroff >/dev/null && (
		cd "$tree/opt/kutrace/share/man"
		for page in man?/*; do
			mkdir -p "cat${page:3:1}"
			nroff -mandoc -rLL=78n "$page" 2>/dev/null | sed 's/.\x08//g' >"cat${page:3}"
		done
	)
	touch "$tree/complete"
}

# Copies the libraries of the programs, and the loader, to the paths that they have here.
libraries()
{
	local file

	ldd "$tree"/opt/kutrace/bin/* 2>/dev/null | sed -n 's/.*\(=> \|^\t\)\(\/[^ ]*\) .*/\2/p' | sort -u | while read -r file; do
		mkdir -p "$tree${file%/*}"
		cp "$file" "$tree$file"
	done
}

# Adds a module of the kernel, after those on which it depends, to $files and $drivers. A kernel with a built-in driver has
# no such file.
driver()	# NAME
{
	local path one

	path=$(find "$MODULES/kernel" -name "$1.ko*" 2>/dev/null | head -n 1)
	[ -n "$path" ] && [[ $drivers\  != *" $1 "* ]] || return 0
	case $path in
	*.xz) xz -dc "$path" >"$work/$1.ko" ;;
	*.gz) gzip -dc "$path" >"$work/$1.ko" ;;
	*) cp "$path" "$work/$1.ko" ;;
	esac
	for one in $(strings -a "$work/$1.ko" | sed -n 's/^depends=//p' | tr ',' ' '); do
		driver "$one"
	done
	files+=(--file "$work/$1.ko:/lib/modules/$1.ko")
	drivers+=" $1"
}

# Prints a shell assignment of a value with any characters.
assign()	# NAME VALUE
{
	printf "%s='%s'\n" "$1" "${2//\'/\'\\\'\'}"
}

find_kernel
choose_accelerator
tree=$build/guest/play${machine:+-$machine}
# Guests that start at the same time use the same files.
exec 9>"$tree.lock"
flock 9
if [ ! -f "$tree/complete" ] || [ -n "$(find "$build/bin" ${GUEST_BUILD:+"$GUEST_BUILD/bin"} "$build/templates" docs/reference/man control/dist tests/guest/play.sh \
		-type f -newer "$tree/complete" 2>/dev/null | head -n 1)" ]; then
	install_tools 9>&-
fi
exec 9>&-
mkdir -p "$share" || die "cannot make the shared folder $share"
files=(--file "$KO:/lib/kutrace.ko") drivers='' disk=() served=()
driver virtio_net
driver virtiofs
if tests/guest/share.pl --which >/dev/null &&
		{ [[ $drivers\  = *' virtiofs '* ]] || grep -qx CONFIG_VIRTIO_FS=y "$KERNEL_DIR/boot/config-$KVER"; }; then
	served=(--share "$(realpath "$share")")
fi
if [ "$root" = debian ]; then
	image=$(BUILD=$build tests/guest/debian.sh ${fresh:+--fresh}) || exit 1
	disk=(--drive "$image")
fi
read -r rows columns < <(stty size 2>/dev/null || echo 24 80)
[ "$rows" != 0 ] || rows=24 columns=80
[ -z "$command" ] || rm -f "$share"/cmd.{out,err,status,trace,html,log}
{
	assign KU_ROOT "$root"
	assign KU_DRIVERS "$drivers"
	assign KU_SERVED "${served[*]}"
	assign KU_SHARE "$share"
	assign KU_TERM "${TERM:-vt100}"
	assign KU_ROWS "$rows"
	assign KU_COLUMNS "$columns"
	assign KU_KVER "$KVER"
	assign KU_CPUS "$cpus"
	assign KU_CMD "$command"
	assign KU_DNS_SEARCH "$(sed -n 's/^search //p' /etc/resolv.conf 2>/dev/null | tail -n 1)"
} >"$work/play"
boot=(tests/guest/boot.sh --script tests/guest/play_guest.sh --out "$work/out" --kernel "$KERNEL_DIR" --cpus "$cpus" --mem "$memory"
	--net --tree "$tree" --file "$work/play:/play" "${files[@]}"
	${accel[@]+"${accel[@]}"} ${disk[@]+"${disk[@]}"} ${served[@]+"${served[@]}"} --append loglevel=3)

# --- a shell ---
status=0
if [ -z "$command" ]; then
	terminal=$(stty -g)
	trap 'stty "$terminal"; rm -rf "$work"' EXIT
	"${boot[@]}" --tty || status=$?
	stty "$terminal"
	[ ${#served[@]} != 0 ] || [ ! -d "$work/out/share" ] || cp -R "$work/out/share/." "$share/"
	case $status in
	0 | 120) echo "guest: the guest has ended; its files are in $share" >&2; exit 0 ;;
	*) exit 1 ;;
	esac
fi

# --- a command ---

# Shows the command's output, and ends when the guest has ended.
show()	# NAME
{
	touch "$share/$1"
	tail -n +1 -s 0.1 -f --pid=$booted "$share/$1" 2>/dev/null &
}

"${boot[@]}" --timeout 1000000 </dev/null >"$work/log" 2>&1 &
booted=$!
trap 'kill $booted 2>/dev/null || true; wait; rm -rf "$work"' EXIT
if [ ${#served[@]} != 0 ]; then
	show cmd.out
	show cmd.err >&2
fi
wait "$booted" || status=$?
wait
if [ ${#served[@]} = 0 ] && [ -d "$work/out/share" ]; then
	cp -R "$work/out/share/." "$share/"
	cat "$share/cmd.out"
	cat "$share/cmd.err" >&2
fi
if [ ! -s "$share/cmd.status" ]; then
	tail -n 20 "$work/log" >&2
	[ ! -f "$share/cmd.log" ] || cat "$share/cmd.log" >&2
	die "the guest ended without a result (status $status)"
fi
# The kernel's log had a warning.
[ $status != 120 ] || cat "$work/log" >&2
status=$(cat "$share/cmd.status")
rm "$share/cmd.status"
if [ -s "$share/cmd.trace" ]; then
	"$build/bin/rawtohtml" "$share/cmd.trace" --title "$command" -o "$share/cmd.html" >"$work/log" 2>&1 ||
		{ cat "$work/log" >&2; die "cannot make the page of $share/cmd.trace"; }
	rm "$share/cmd.log"
	echo "guest: exit status $status; trace: $share/cmd.trace; page: $share/cmd.html" >&2
else
	cat "$share/cmd.log" >&2
	echo "guest: exit status $status; there is no trace" >&2
fi
exit "$status"
