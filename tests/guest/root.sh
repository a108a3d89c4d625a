#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Provides a compiler that this machine does not have: modules for a kernel of another Debian
# release are built by the compiler that built the kernel, in a minimal root of that release. The
# script fetches the packages by apt and unpacks them into the cache, without installing them:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/root-SUITE-gcc-MAJOR-HASH/
#
# with a hash of its packages. With CROSS, such as aarch64-linux-gnu-, the root contains the
# compiler with that prefix instead. A root gets this name only when it is complete, and never
# changes then.
#
#	tests/guest/root.sh --wanted KDIR SUITE CC	prints the MAJOR of the gcc that built the kernel of
#		the build folder KDIR, if CC is another one; nothing if CC can be used, or SUITE is empty
#	tests/guest/root.sh --name SUITE MAJOR [CROSS]	prints the path of the root, and makes nothing
#	tests/guest/root.sh --make SUITE MAJOR [CROSS]	makes the root if needed, and prints its path
#	tests/guest/root.sh --in ROOT[:DIR]... -- COMMAND...
#		runs COMMAND with ROOT as /, in which the DIRs are visible at their paths. An
#		ordinary user can do this too, if the kernel allows users to create namespaces
#
# Exit status: 0; 1 with a message; 2 usage; 77 with a message if packages are not available; with
# --in the status of COMMAND.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
here=$(cd "$(dirname "$0")" && pwd)

die()
{
	echo "root: $*" >&2
	exit 1
}

usage()
{
	sed -n '/^#	tests/s/^#	//p' "$0" >&2
	exit 2
}

. "$here/../../kernel-patches/apt.sh"

# Prints the packages of the programs that kbuild calls, with perl for its check of comments (W=1).
# libelf-dev depends on the library, whose name differs between releases.
packages()	# MAJOR [CROSS]
{
	local of=${2-}

	of=${of:+-${of%-}}
	echo base-files dash bash coreutils diffutils findutils grep sed mawk tar gzip xz-utils \
		perl make "gcc-$1$of" "binutils$of" libelf-dev libc6-dev pahole
}

root_of()	# SUITE MAJOR [CROSS]
{
	echo "$cache/root-$1-gcc-$2-${3-}$({ packages "$2" "${3-}"; declare -f make_root; } | sha256sum | cut -c 1-16)"
}

make_root()	# SUITE MAJOR [CROSS]
{
	local dir suite=$1 major=$2 cross=${3-} base apt_options=() top wanted

	dir=$(root_of "$suite" "$major" "$cross")
	if ! "$here/../cache.sh" --use "$dir"; then
		echo "root: fetching ${cross}gcc-$major of Debian $suite (not installed, only unpacked): a minute" >&2
		base=${suite%-backports}
		# shellcheck disable=SC2046 # one word or two
		suite_apt "$suite" $([ "$suite" = "$base" ] || echo "$base") "$suite" || {
			echo "root: Debian $suite cannot be had by this machine's apt" >&2
			exit 77
		}
		work=$(mktemp -d "$cache/.tmp.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		mkdir -p "$work/root/usr"
		# An empty status file: nothing is installed in the root yet.
		: >"$work/status"
		apt_options+=(-o Dir::State::Status="$work/status" -o Dir::Cache::pkgcache=
			-o Dir::Cache::srcpkgcache=)
		# shellcheck disable=SC2046 # names of packages
		wanted=$(apt_wants $(packages "$major" "$cross") 2>"$work/log") || {
			tail -n 5 "$work/log" >&2
			echo "root: Debian $suite has no ${cross}gcc-$major" >&2
			exit 77
		}
		for top in bin sbin lib lib64; do
			mkdir "$work/root/usr/$top"
			ln -s "usr/$top" "$work/root/$top"
		done
		# shellcheck disable=SC2086 # names of packages
		apt_unpack "$work/deb" "$work/root" $wanted >"$work/log" 2>&1 || {
			tail -n 5 "$work/log" >&2
			die "cannot fetch gcc-$major of Debian $suite"
		}
		# Make the links that the packages' scripts would have made.
		ln -s mawk "$work/root/usr/bin/awk"
		ln -sf "${cross}gcc-$major" "$work/root/usr/bin/${cross}gcc"
		rm -rf "$work/root/usr/share"/{doc,info,locale,man} "$work/root/var"
		chmod 755 "$work/root"
		mv -T "$work/root" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
		"$here/../cache.sh" --trim || true
	fi
	echo "$dir"
}

# Does not change the root: a new folder in memory has the root's /usr, the DIRs and an own /tmp.
run_in()	# ROOT[:DIR]... -- COMMAND...
{
	local dirs=$1 how=(unshare --mount --propagation private)
	shift

	[ "${1-}" = -- ] || usage
	shift
	[ "$(id -u)" = 0 ] || how+=(--map-root-user)
	# In a chroot, / may be no mount point, and then its propagation cannot be set.
	"${how[@]}" true 2>/dev/null || how=(unshare --mount --propagation unchanged)
	"${how[@]}" true 2>/dev/null ||
		die "a compiler of another release needs root, or user namespaces (unshare)"
	at=$(mktemp -d)		# global, for the trap, which runs after this function
	trap 'umount "$at" 2>/dev/null || true; rmdir "$at"' EXIT
	# shellcheck disable=SC2016 # for the shell in there
	"${how[@]}" sh -euc '
		at=$1 dirs=$2
		shift 2
		root=${dirs%%:*}
		# Keep the mounts below invisible outside, whatever the propagation is.
		mount --bind "$at" "$at"
		mount --make-private "$at"
		mount -t tmpfs -o mode=755 none "$at"
		for top in bin sbin lib lib64; do
			ln -s "usr/$top" "$at/$top"
		done
		mkdir "$at/usr" "$at/tmp" "$at/dev" "$at/proc"
		mount --bind "$root/usr" "$at/usr"
		mount --rbind /proc "$at/proc"
		: >"$at/dev/null"
		mount --bind /dev/null "$at/dev/null"
		rest=${dirs#"$root"}
		while [ -n "$rest" ]; do
			rest=${rest#:}
			dir=${rest%%:*}
			rest=${rest#"$dir"}
			mkdir -p "$at$dir"
			mount --bind "$dir" "$at$dir"
		done
		exec chroot "$at" /usr/bin/env -i PATH=/usr/bin:/usr/sbin HOME=/tmp LC_ALL=C "$@"
		' root "$at" "$dirs" "$@" </dev/null
}

case ${1-} in
--wanted)
	[ $# = 4 ] || usage
	[ -n "$3" ] || exit 0
	major=$(sed -n 's/^CONFIG_GCC_VERSION=\([0-9]*\)[0-9]\{4\}$/\1/p' "$2/.config")
	[ "$major" = "$("$4" -dumpversion | cut -d . -f 1)" ] || echo "$major"
	;;
--name | --make)
	[ $# = 3 ] || [ $# = 4 ] || usage
	[ "$1" = --name ] && root_of "$2" "$3" "${4-}" || make_root "$2" "$3" "${4-}"
	;;
--in)
	shift
	[ $# -ge 3 ] || usage
	run_in "$@"
	;;
*) usage ;;
esac
