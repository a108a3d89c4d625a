#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Fetches Debian's programs for guests by apt and unpacks them into the cache. Nothing is installed:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/NAME-HASH/
#
# with a hash of packages and versions. Libraries that this machine has installed are copied from
# it.
#
#	tests/guest/programs.sh NAME PACKAGES PROGRAM...
#
# prints a line SRC:DST for each file that a guest needs for these programs, in the form of
# boot.sh's --file. A PROGRAM is a path in the PACKAGES, which are separated by blanks; it goes to
# /bin. Exit status: 0; 1 with a message; 2 usage; 77 with a message if the packages are not
# available.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
[ $# -ge 3 ] || { echo "usage: programs.sh NAME PACKAGES PROGRAM..." >&2; exit 2; }
name=$1
read -r -a packages <<<"$2"
shift 2

die()
{
	echo "programs: $*" >&2
	exit 1
}

. "$here/../../kernel-patches/apt.sh"

# Prints the packages that apt would install, with their present versions, also if they are already
# installed.
wants()
{
	apt_wants --reinstall "${packages[@]}" 2>/dev/null | grep . || {
		apt-get -q update >/dev/null 2>&1 </dev/null || true
		apt_wants --reinstall "${packages[@]}" 2>/dev/null | grep .
	}
}

wanted=$(wants) || {
	echo "programs: apt has no ${packages[*]}" >&2
	exit 77
}
dir=$cache/$name-$(echo "$wanted" | sha256sum | cut -c 1-16)
if ! "$here/../cache.sh" --use "$dir"; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/root"
	# shellcheck disable=SC2086 # names of packages
	apt_unpack "$work/deb" "$work/root" $wanted >"$work/log" 2>&1 || {
		echo "programs: apt cannot fetch ${packages[*]}: $(tail -n 1 "$work/log")" >&2
		exit 77
	}
	chmod 755 "$work/root"
	touch "$work/root"	# otherwise it has the package's date and seems unused
	mv -T "$work/root" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	rm -rf "$work"
	"$here/../cache.sh" --trim || true
fi
libraries=$(find "$dir" -type d \( -path '*/lib/*-linux-gnu' -o -path '*/lib/llvm*/lib' \) | tr '\n' ':')
for program; do
	found=$(LD_LIBRARY_PATH=$libraries ldd "$dir/$program") || die "ldd cannot read $dir/$program"
	! grep 'not found' <<<"$found" >&2 || die "a library of $program is missing"
	echo "$dir/$program:/bin/${program##*/}"
	# Put all libraries in one folder, which the loader searches by default.
	sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' <<<"$found" | while IFS= read -r library; do
		echo "$library:/lib/x86_64-linux-gnu/${library##*/}"
	done
	loader=$(sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p' <<<"$found")
	echo "$loader:$loader"
done | sort -u
