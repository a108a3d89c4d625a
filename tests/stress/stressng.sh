#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Debian's stress-ng for guests: fetched by apt and unpacked, never installed, into the cache
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/stressng-HASH/
#
# with a hash of packages and versions. What of its libraries this machine has installed is taken from here.
#
#	tests/stress/stressng.sh	prints SRC:DST of each file that a guest needs, a line each,
#				as boot.sh's --file wants them
#
# Called by stress.sh. Exit status: 0; 1 with a message; 77 with a message when it cannot be had.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace

die()
{
	echo "stressng: $*" >&2
	exit 1
}

. "$here/../../kernel-patches/apt.sh"

# What apt would install for it, and where it is installed itself, that.
packages()
{
	apt_wants --reinstall stress-ng 2>/dev/null | grep . || {
		apt-get -q update >/dev/null 2>&1 </dev/null || true
		apt_wants --reinstall stress-ng 2>/dev/null | grep .
	}
}

wanted=$(packages) || {
	echo "stressng: apt has no stress-ng" >&2
	exit 77
}
dir=$cache/stressng-$(echo "$wanted" | sha256sum | cut -c 1-16)
if ! "$here/../cache.sh" --use "$dir"; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/root"
	# shellcheck disable=SC2086 # names of packages
	apt_unpack "$work/deb" "$work/root" $wanted >"$work/log" 2>&1 || {
		echo "stressng: apt cannot fetch it: $(tail -n 1 "$work/log")" >&2
		exit 77
	}
	chmod 755 "$work/root"
	touch "$work/root"	# else as old as the package, and not used for long
	mv -T "$work/root" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	rm -rf "$work"
	"$here/../cache.sh" --trim || true
fi
libraries=$(find "$dir" -type d -path '*/lib/*-linux-gnu' | tr '\n' ':')
found=$(LD_LIBRARY_PATH=$libraries ldd "$dir/usr/bin/stress-ng") || die "ldd does not know $dir/usr/bin/stress-ng"
! grep 'not found' <<<"$found" >&2 || die "a library is missing"
echo "$dir/usr/bin/stress-ng:/bin/stress-ng"
# All in one folder, which the loader looks into by itself.
sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' <<<"$found" | while IFS= read -r library; do
	echo "$library:/lib/x86_64-linux-gnu/${library##*/}"
done
loader=$(sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p' <<<"$found")
echo "$loader:$loader"
