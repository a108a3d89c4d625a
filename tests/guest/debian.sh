#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Provides the disk of `make guest ROOT=debian`: a small Debian of this machine's release, with apt. Its packages are not
# installed on this machine. The first call takes some minutes, and makes by mmdebstrap, as root or ordinary user:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/debian-SUITE-HASH/root.ext4
#
# which never changes, with a hash of its packages and of this script. A guest gets the copy
# $BUILD/guest/debian.ext4 (or $KUTRACE_DEBIAN). Installed packages stay there until `make clean` or --fresh.
#
#	tests/guest/debian.sh [--fresh]	prints the path of the copy. With --fresh, makes a new copy
#
# Exit status: 0; 1 with a message.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
size=8G		# the file is sparse

die()
{
	echo "debian: $*" >&2
	exit 1
}

. "$here/../../kernel-patches/apt.sh"

# Prints the packages in addition to the essential ones and apt. Those after the first line have the
# libraries of our tools.
packages()
{
	echo bash-completion ca-certificates iproute2 iputils-ping less man-db procps vim-tiny wget
	# dpkg knows a file by the path that its package had before /lib became a link to /usr/lib, or after.
	{ ldd "$build"/bin/* 2>/dev/null || true; } | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | xargs realpath |
		while read -r file; do
			dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null || true
		done | sed 's/:.*//' | sort -u
}

# Makes $work/root.ext4. fakeroot keeps the owners of files, so an ordinary user can make the image.
make_image()
{
	local mirrors

	mirrors=$(suite_sources "$suite") && [ -n "$mirrors" ] || die "this machine's apt has no Debian $suite"
	# The root reaches the network as this machine does.
	apt-config dump | grep '^Acquire::https*::' >"$work/90machine" || true
	echo "$mirrors" | mmdebstrap --variant=minbase --include="$(echo $wanted | tr ' ' ,)" \
		--aptopt="$work/90machine" --aptopt='Acquire::Languages "none"' "$suite" "$work/root.tar" - >"$work/log" 2>&1 ||
		{ tail -n 5 "$work/log" >&2; die "mmdebstrap failed"; }
	fakeroot sh -euc '
		mkdir "$1/root"
		tar -x -f "$1/root.tar" -C "$1/root" --exclude="./dev/*"
		echo "/dev/vdb / ext4 defaults 0 1" >"$1/root/etc/fstab"
		"$3" -q -F -t ext4 -d "$1/root" "$1/root.ext4" "$2"
		' sh "$work" "$size" "$(command -v mke2fs || echo /sbin/mke2fs)" >"$work/log" 2>&1 ||
		{ tail -n 5 "$work/log" >&2; die "cannot make the image"; }
}

suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
wanted=$(packages)
dir=$cache/debian-$suite-$({ echo "$wanted"; declare -f make_image; } | sha256sum | cut -c 1-16)
copy=${KUTRACE_DEBIAN:-$build/guest/debian.ext4}
if ! "$here/../cache.sh" --use "$dir"; then
	"$here/../deps.sh" play-debian >&2
	echo "debian: making a small Debian $suite in $dir, once: some minutes" >&2
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	make_image
	mkdir "$work/out"
	mv "$work/root.ext4" "$work/out/"
	chmod 755 "$work/out"
	mv -T "$work/out" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	"$here/../cache.sh" --trim || true
fi
[ "${1-}" != --fresh ] || rm -f "$copy"
if [ ! -f "$copy" ]; then
	mkdir -p "${copy%/*}"
	cp --sparse=always "$dir/root.ext4" "$copy.new"
	mv "$copy.new" "$copy"
fi
echo "$copy"
