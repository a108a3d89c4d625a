#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages that a make target needs, by group. If they are already installed,
# this takes a few milliseconds and no network. Targets such as demo, check and bench run this script
# before they build; a plain `make` does not. Must not ask for input, and must not name a host: the
# packages come from the sources of this machine's apt.
#
#	tests/deps.sh GROUP...		install the missing packages of the groups
#	tests/deps.sh --list GROUP...	print the packages of the groups
#
# Exit status: 0 all packages are installed; 1 they are not, and are not available; 2 usage.
set -eu

usage()
{
	echo "usage: tests/deps.sh [--list] {tools|module|kernel|guest|play|play-debian|arm64|riscv64|page|browser|test|package|system|all}..." >&2
	exit 2
}

say()
{
	echo "deps: $*" >&2
}

# True if npm is installed and node is version 18 or newer. They need not come from Debian's packages.
node_is_there()
{
	command -v npm >/dev/null 2>&1 || return 1
	major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9][0-9]*\).*/\1/p')
	[ -n "$major" ] && [ "$major" -ge 18 ]
}

# Prints the packages of one group, one a line.
packages_of()
{
	case $1 in
	tools)
		echo gcc g++ make libc6-dev linux-libc-dev zlib1g-dev libdeflate-dev binutils libdw-dev libsqlite3-dev libzstd-dev
		echo libbabeltrace2-dev libprotobuf-c-dev protobuf-c-compiler
		;;
	module)
		echo gcc make libelf-dev
		;;
	kernel)
		echo gcc make ccache flex bison bc perl patch git sparse libelf-dev libssl-dev xz-utils
		;;
	guest)
		echo qemu-system-x86 busybox-static cpio gzip xz-utils strace
		;;
	play)
		packages_of guest
		# Debian 12 has virtiofsd in QEMU's packages.
		[ "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" = bookworm ] || echo virtiofsd
		echo groff-base
		;;
	play-debian)
		echo mmdebstrap uidmap fakeroot e2fsprogs
		;;
	arm64)
		echo qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross binutils-arm-linux-gnueabihf
		;;
	riscv64)
		echo qemu-system-misc opensbi gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
		;;
	page)
		node_is_there || echo nodejs npm
		;;
	browser)
		echo chromium chromium-headless-shell firefox-esr fonts-dejavu-core
		;;
	test)
		echo libcmocka-dev xz-utils locales clang libclang-rt-dev babeltrace2 protobuf-compiler sqlite3
		echo strace iproute2 procps musl-tools openssl socat stunnel4 openssh-client rsync rclone
		echo ovmf efitools mokutil
		;;
	system)
		echo debootstrap e2fsprogs qemu-system-x86
		;;
	package)
		echo build-essential dpkg-dev debhelper dh-dkms libdeflate-dev libdw-dev libsqlite3-dev libzstd-dev xz-utils zlib1g-dev
		echo libbabeltrace2-dev libprotobuf-c-dev protobuf-c-compiler
		;;
	all)
		for g in tools module kernel guest arm64 riscv64 page browser test; do
			packages_of "$g"
		done
		;;
	*)
		usage
		;;
	esac
}

missing_of()
{
	for p in "$@"; do
		state=$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null || true)
		case $state in
		"install ok installed") ;;
		*) echo "$p" ;;
		esac
	done
}

list=
[ "${1-}" = --list ] && list=1 && shift
[ $# -gt 0 ] || usage
for group in "$@"; do
	packages_of "$group" >/dev/null
done
wanted=$(for group in "$@"; do packages_of "$group"; done | tr ' ' '\n' | sort -u)
if [ -n "$list" ]; then
	echo "$wanted"
	exit 0
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
	say "not a Debian system: install the content of these packages by hand:" $wanted
	exit 1
fi
# shellcheck disable=SC2086
missing=$(missing_of $wanted)
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		say "needs root or sudo; run as root: apt-get install" $missing
		exit 1
	fi
	as_root="sudo env DEBIAN_FRONTEND=noninteractive"
	# sudo may ask for a password at a terminal. Without a terminal, that is an error.
	if ! sudo -n true 2>/dev/null && ! sh -c ': </dev/tty' 2>/dev/null; then
		say "sudo needs a password, but there is no terminal; run as root: apt-get install" $missing
		exit 1
	fi
fi
export DEBIAN_FRONTEND=noninteractive

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Wait for another apt on the machine.
apt="$as_root apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0"

fail()
{
	tail -n 20 "$log" >&2
	say "$1; missing:" $missing
	exit 1
}

say "installing" $missing
# Ignore a failed update: an unreachable source matters only if a package then cannot be installed.
$apt update >"$log" 2>&1 </dev/null || say "apt-get update failed; continuing"
# shellcheck disable=SC2086
$apt install --no-install-recommends $missing >>"$log" 2>&1 </dev/null ||
	fail "apt-get install failed"
# shellcheck disable=SC2086
missing=$(missing_of $missing)
[ -z "$missing" ] || fail "apt-get succeeded, but some packages are not installed"
