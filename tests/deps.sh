#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages that a make target needs, by group. If they are already installed,
# this takes a few milliseconds and no network. Targets such as demo, check and bench run this script
# before they build; a plain `make` does not. Prints the size of the download before it begins, and
# how far the installation is. Must not ask for input, and must not name a host: the packages come
# from the sources of this machine's apt.
#
#	tests/deps.sh GROUP...		install the missing packages of the groups
#	tests/deps.sh --list GROUP...	print the packages of the groups
#
# Exit status: 0 all packages are installed; 1 they are not, and are not available; 2 usage.
set -eu
. "$(dirname "$0")/progress.inc"

usage()
{
	echo "usage: tests/deps.sh [--list] {tools|module|kernel|guest|demo|play|play-debian|arm64|riscv64|page|browser|test|package|system|ci|all}..." >&2
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

# Prints a package that provides what other packages need of systemd. On a machine without systemd, such
# as a container, apt would otherwise install systemd. On a machine with systemd, or with the group
# ci, prints nothing: the package could replace systemd there.
instead_of_systemd()	# PACKAGE
{
	case " $groups " in *" ci "*) return ;; esac
	[ "$(dpkg-query -W -f '${Status}' systemd 2>/dev/null)" = "install ok installed" ] || echo "$1"
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
	demo)
		# Only what the demo uses. It unpacks a QEMU into the cache if there is none.
		echo gcc make libc6-dev zlib1g-dev binutils libelf-dev busybox-static cpio gzip xz-utils
		packages_of page
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
		command -v esbuild >/dev/null 2>&1 || echo esbuild
		;;
	browser)
		node_is_there || echo nodejs npm
		echo chromium chromium-headless-shell firefox-esr fonts-dejavu-core
		instead_of_systemd dbus-x11
		;;
	test)
		echo libcmocka-dev xz-utils locales clang libclang-rt-dev babeltrace2 protobuf-compiler sqlite3
		echo strace iproute2 jq procps musl-tools openssl socat stunnel4 openssh-client rsync rclone
		echo ovmf efitools mokutil
		instead_of_systemd systemd-standalone-sysusers
		;;
	system)
		echo debootstrap e2fsprogs qemu-system-x86
		;;
	ci)
		# A few tests use systemd's own programs, and otherwise skip.
		echo systemd
		;;
	package)
		echo build-essential dpkg-dev
		# Build-Depends of the packages, without versions and profiles; the names of two virtual packages are replaced.
		sed -n '/^Build-Depends:/,/^[A-Z][^u]/s/^\(Build-Depends:\)\{0,1\} *\([a-z][a-z0-9.+-]*\).*/\2/p' \
			"$(dirname "$0")/../control/dist/debian/control" |
			sed 's/^debhelper-compat$/debhelper/; s/^dh-sequence-/dh-/'
		;;
	all)
		for g in tools module kernel guest play arm64 riscv64 page browser test; do
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
groups=$*
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
	# Ask for the password before a line of progress is redrawn.
	sudo -n true 2>/dev/null || sudo -v
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

# Prints how far apt is: the last kind of line in its log, and how often it occurs.
count=0 updated=1 installed=1
state()
{
	awk -v all="$count" '
	/^Get:/ { got++; what = "downloaded"; n = got }
	/^Unpacking / { unpacked++; what = "unpacked"; n = unpacked }
	/^Setting up / { set_up++; what = "set up"; n = set_up }
	END { if (n) printf all ? "%s %d of %d packages\n" : "%s %d lists of packages\n", what, n, all }' "$log"
}

say "reading the lists of packages (about 10 MB, if they are old)"
# Without translated descriptions, the lists are smaller; existing descriptions remain. Ignore a failed
# update: an unreachable source matters only if a package then cannot be installed.
progress_begin state
$apt -o Acquire::Languages=none -o APT::Get::List-Cleanup=false update >"$log" 2>&1 </dev/null || updated=
progress_end
[ -n "$updated" ] || say "apt-get update failed; continuing"
# shellcheck disable=SC2086
count=$(apt-get -q -s install --no-install-recommends $missing 2>/dev/null </dev/null | grep -c '^Inst ' || true)
# shellcheck disable=SC2086
say "installing $count packages, $(megabytes "$(apt_bytes install --no-install-recommends $missing)") to download:" $missing
: >"$log"
# shellcheck disable=SC2086
progress_begin state
# shellcheck disable=SC2086
$apt install --no-install-recommends $missing >>"$log" 2>&1 </dev/null || installed=
progress_end
[ -n "$installed" ] || fail "apt-get install failed"
# shellcheck disable=SC2086
missing=$(missing_of $missing)
[ -z "$missing" ] || fail "apt-get succeeded, but some packages are not installed"
