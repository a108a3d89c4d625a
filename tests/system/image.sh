#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes a disk for QEMU with a whole Debian 13: systemd, udev, AppArmor, journald, kdump, Debian's
# cloud kernel with its own initramfs, headers and gcc for DKMS, users with and without sudo;
# but nothing of this project. debootstrap and apt make it, from the sources of this machine's apt, in
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/system-HASH/
#
# HASH is of this file, of the files of guest/image and of the kernel's version. Needs root. Used by
# system.sh. It must install nothing on this machine except the packages of "tests/deps.sh system".
#
#	tests/system/image.sh		prints that folder, which contains
#	    disk.img			ext4, on the whole disk
#	    vmlinuz, initrd.img		the files that QEMU boots
#
# Exit status: 0; 1 with a message.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
suite=trixie
size=8G

die()
{
	echo "system image: $*" >&2
	exit 1
}

. kernel-patches/apt.sh
. tests/packages/bare.inc

# The machine itself; dependencies of the packages, because there is no network inside; packages for
# the build from source; packages for the tests.
packages='systemd systemd-sysv dbus libpam-systemd udev apparmor apparmor-utils kdump-tools kexec-tools makedumpfile
	linux-image-cloud-amd64 linux-headers-cloud-amd64 initramfs-tools zstd kmod sudo procps less
	dkms gcc make libc6-dev libbabeltrace2-0 libdeflate0 libdw1t64 libprotobuf-c1 libsqlite3-0 libzstd1 zlib1g bash-completion
	g++ zlib1g-dev libdeflate-dev libdw-dev libsqlite3-dev libzstd-dev libbabeltrace2-dev libprotobuf-c-dev protobuf-c-compiler
	systemd-container busybox-static socat openssl mokutil'

# An image in the cache is found even without a network.
version()
{
	apt_options=()
	suite_apt $suite $suite 2>/dev/null && apt_version linux-image-cloud-amd64 || true
}

key=$({ cat tests/system/image.sh tests/packages/bare.inc tests/system/guest/image/*; version; } | sha256sum | cut -c 1-32)
dir=$cache/system-$key
if tests/cache.sh --use "$dir"; then
	echo "$dir"
	exit 0
fi
[ "$(id -u)" = 0 ] || die "debootstrap needs root"
mkdir -p "$cache"
work=$(mktemp -d "$cache/.tmp.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
echo "system image: making a Debian $suite (not installed: a disk for QEMU)" >&2

# in_root COMMAND: runs the command, and prints its output only if it fails
in_root()
{
	bare_in "$root" "$@" >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		die "failed in the root folder: $1"
	}
}

bare_make $suite "$root" || die "no root of Debian $suite"
# Include the updates since the release, as on a maintained machine.
suite_sources $suite | sed 's/ \[[^]]*\]//' >"$root/etc/apt/sources.list"
[ -s "$root/etc/apt/sources.list" ] || die "this machine's apt has no source of Debian $suite"
# Leave out documentation, which no test uses. Set up DKMS and kdump as an administrator would.
printf 'path-exclude=/usr/share/%s/*\n' man doc locale >"$root/etc/dpkg/dpkg.cfg.d/90small"
printf '%s\n' 'kdump-tools kdump-tools/use_kdump boolean true' 'kexec-tools kexec-tools/load_kexec boolean false' \
	>"$root/root/answers"
in_root 'debconf-set-selections </root/answers && rm /root/answers'
in_root "$bare_apt update && $bare_apt install $(echo $packages)"
# alice and bob will be in group tracing, carol may use sudo, dave has no rights.
for user in alice bob carol dave; do
	in_root "useradd -m -s /bin/bash $user"
done
in_root 'usermod -aG sudo carol && echo "carol ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/carol && chmod 440 /etc/sudoers.d/carol'
echo machine >"$root/etc/hostname"
echo '127.0.0.1 localhost machine' >"$root/etc/hosts"
echo '/dev/vda / ext4 defaults 0 1' >"$root/etc/fstab"
mkdir -p "$root/var/log/journal"
install -m 755 tests/system/guest/image/guest-test "$root/usr/local/sbin/guest-test"
install -m 644 tests/system/guest/image/guest-test.service "$root/etc/systemd/system/guest-test.service"
in_root 'systemctl enable guest-test.service && systemctl mask getty@.service serial-getty@.service apt-daily.timer apt-daily-upgrade.timer'
rm -f "$root/usr/sbin/policy-rc.d" "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*Packages* "$root/etc/resolv.conf"
rm -f "$root/etc/machine-id"
: >"$root/etc/machine-id"

mkdir "$work/out"
cp "$root"/boot/vmlinuz-* "$work/out/vmlinuz"
cp "$root"/boot/initrd.img-* "$work/out/initrd.img"
mke2fs -q -t ext4 -L machine -d "$root" "$work/out/disk.img" $size >/dev/null || die "cannot make the disk"
chmod 755 "$work/out"
mv -T "$work/out" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
tests/cache.sh --trim || true
echo "$dir"
