#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the project's packages from the tarball in a root of Debian 13, for the machine of
# image.sh. The root, with the build dependencies, is kept in
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/debroot-HASH/
#
# and a copy of it is used. Needs root. system.sh uses it; `make dist` must have made the tarball.
#
#	tests/system/debs.sh TARBALL OUT	leaves *.deb in the folder OUT, once for each tarball
#
# Exit status: 0; 1 with a message.
set -euo pipefail
[ $# = 2 ] || { echo "usage: debs.sh TARBALL OUT" >&2; exit 2; }
tarball=$(realpath "$1")
out=$(realpath -m "$2")
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
suite=trixie

die()
{
	echo "system packages: $*" >&2
	exit 1
}
[ "$(id -u)" = 0 ] || die "debootstrap needs root"
. tests/packages/bare.inc

what=$(cat "$tarball" tests/system/debs.sh | sha256sum)
[ "$(cat "$out/.of" 2>/dev/null)" != "$what" ] || exit 0
mkdir -p "$cache"
work=$(mktemp -d "$cache/.tmp.XXXXXX")
trap 'rm -rf "$work"' EXIT

# in_root DIR COMMAND: runs the command, and prints its output only if it fails
in_root()
{
	bare_in "$@" >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		die "failed in the root folder: $2"
	}
}

key=$(cat tests/system/debs.sh tests/packages/bare.inc control/dist/debian/control | sha256sum | cut -c 1-32)
kept=$cache/debroot-$key
if ! tests/cache.sh --use "$kept"; then
	echo "system packages: making a root of Debian $suite to build in" >&2
	bare_make $suite "$work/root" || die "no root of Debian $suite"
	in_root "$work/root" "$bare_apt update && $bare_apt install dpkg-dev devscripts equivs"
	mkdir -p "$work/root/root/kutrace/debian"
	cp control/dist/debian/control control/dist/debian/changelog "$work/root/root/kutrace/debian/"
	in_root "$work/root" "cd /root/kutrace && $bare_apt build-dep . && apt-get clean && rm -rf /root/kutrace"
	chmod 755 "$work/root"
	mv -T "$work/root" "$kept" 2>/dev/null || [ -d "$kept" ] || die "cannot create $kept"
	tests/cache.sh --trim || true
fi
cp -a "$kept" "$work/root"
cp "$tarball" "$work/root/root/"
# tests/packages/root.sh runs the packages' own tests.
in_root "$work/root" "cd /root && tar -xf kutrace-*.tar.xz && cd kutrace-*/ && cp -R control/dist/debian debian &&
	DEB_BUILD_OPTIONS='nocheck parallel=$(nproc)' dpkg-buildpackage -us -uc -b"
rm -f "$work"/root/root/*dbgsym*
rm -rf "$out"
mkdir -p "$out"
cp "$work"/root/root/*.deb "$out/"
echo "$what" >"$out/.of"
