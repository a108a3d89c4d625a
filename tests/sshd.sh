#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Provides OpenSSH's server for tests: this machine's own, or that of Debian's package, which apt
# fetches and which is unpacked into the cache. It is never installed (an installation opens the
# machine's port 22 and keeps it open):
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/sshd-HASH/
#
# with a hash of packages and versions. tests/cli/fleet.inc uses it. Needs root.
#
#	tests/sshd.sh --get	fetches it if needed
#	tests/sshd.sh ARG...	executes sshd with these arguments
#
# Exit status: 0; 1 with a message; 77 with a message if it is not available.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace

die()
{
	echo "sshd: $*" >&2
	exit 1
}

. "$here/../kernel-patches/apt.sh"

# Prints the packages that apt would install for it, from its current lists or from updated ones.
packages()
{
	apt_wants openssh-server 2>/dev/null | grep . || {
		apt-get -q update >/dev/null 2>&1 </dev/null || true
		apt_wants openssh-server 2>/dev/null | grep .
	}
}

get()
{
	local dir wanted
	wanted=$(packages) || {
		echo "sshd: none here, and apt has no openssh-server" >&2
		exit 77
	}
	dir=$cache/sshd-$(echo "$wanted" | sha256sum | cut -c 1-16)
	if ! "$here/cache.sh" --use "$dir"; then
		mkdir -p "$cache"
		work=$(mktemp -d "$cache/.tmp.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		mkdir "$work/root"
		# shellcheck disable=SC2086 # names of packages
		apt_unpack "$work/deb" "$work/root" $wanted >"$work/log" 2>&1 || {
			echo "sshd: none here, and apt cannot fetch it: $(tail -n 1 "$work/log")" >&2
			exit 77
		}
		chmod 755 "$work/root"
		touch "$work/root"	# otherwise it has the package's date and seems unused
		mv -T "$work/root" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
		rm -rf "$work"
		"$here/cache.sh" --trim || true
	fi
	echo "$dir"
}

mkdir -p /run/sshd || die "wants root"
if [ -x /usr/sbin/sshd ]; then
	[ "${1-}" = --get ] || exec /usr/sbin/sshd "$@"
	exit 0
fi
unshare --mount --propagation private true 2>/dev/null || {
	echo "sshd: no mounts of its own here" >&2
	exit 77
}
root=$(get)
[ "${1-}" != --get ] || exit 0
# Adds for this process alone what its package would have added to the machine: a user without
# rights, and the programs into which later versions are split.
# shellcheck disable=SC2016 # for the shell in there
exec unshare --mount --propagation private bash -euc '
	root=$1
	shift
	if ! grep -q "^sshd:" /etc/passwd; then
		mount -t tmpfs -o mode=755 none /run/sshd
		{ cat /etc/passwd; echo "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin"; } >/run/sshd/passwd
		mount --bind /run/sshd/passwd /etc/passwd
		umount -l /run/sshd
	fi
	[ ! -d "$root/usr/lib/openssh" ] || mount --bind "$root/usr/lib/openssh" /usr/lib/openssh
	export LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu "$root"/lib/*-linux-gnu | tr " " :)
	exec "$root/usr/sbin/sshd" "$@"
	' sshd "$root" "$@"
