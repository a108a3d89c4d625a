#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Provides OpenSSH's server for tests: the installed server, or Debian's package. The package is not
# installed, because its installation opens port 22 of the machine. Instead, apt fetches it, and this
# script unpacks it into the cache:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/sshd-HASH/
#
# HASH depends on packages and versions. Needs root.
#
#	tests/sshd.sh --get	fetches the package if the server is not installed
#	tests/sshd.sh ARG...	executes sshd with these arguments
#
# Exit status: 0; 1 with a message; 77 with a message if there is no server.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace

die()
{
	echo "sshd: $*" >&2
	exit 1
}

. "$here/../kernel-patches/apt.sh"

# Prints the packages that apt would install for the server. Updates the lists of apt if necessary.
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
		echo "sshd: not installed, and apt has no openssh-server" >&2
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
			echo "sshd: not installed, and apt cannot fetch it: $(tail -n 1 "$work/log")" >&2
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

mkdir -p /run/sshd || die "needs root"
if [ -x /usr/sbin/sshd ]; then
	[ "${1-}" = --get ] || exec /usr/sbin/sshd "$@"
	exit 0
fi
unshare --mount --propagation private true 2>/dev/null || {
	echo "sshd: cannot make a mount namespace" >&2
	exit 77
}
root=$(get)
[ "${1-}" != --get ] || exit 0
# Adds the things that an installed package would have: the user sshd, and the additional programs of
# later versions. Only this process and its children see them.
# shellcheck disable=SC2016 # the inner shell expands the variables
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
