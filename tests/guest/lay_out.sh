#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Lays out an unpacked kernel package in the folders that the guests expect.
#
#	tests/guest/lay_out.sh ROOT DIR KVER [PATTERN...]
#
# moves image and modules of the kernel KVER from ROOT, the unpacked package, to DIR/boot and
# DIR/lib/modules, and decompresses the modules. With PATTERNs it decompresses only modules with
# such names, because there are some thousands. Debian 12 has modules in lib/modules, Debian 13 in
# usr/lib/modules and compressed (.ko.xz). Some distributions have the image beside its modules, as
# vmlinuz. The script must fail if image or modules are missing.
#
# Exit status: 0; 1 with a message: ROOT holds no such kernel.
set -eu
root=$1 dir=$2 kver=$3
shift 3
[ $# != 0 ] || set -- '*'

modules=
for lib in "$root/lib" "$root/usr/lib"; do
	[ ! -d "$lib/modules/$kver" ] || modules=$lib/modules/$kver
done
[ -n "$modules" ] || { echo "lay_out: $root: no modules of $kver" >&2; exit 1; }
mkdir -p "$dir/boot" "$dir/lib/modules"
for boot in "$root/boot" "$root/usr/boot"; do
	[ ! -d "$boot" ] || cp -R "$boot/." "$dir/boot/"
done
[ -f "$dir/boot/vmlinuz-$kver" ] || [ ! -f "$modules/vmlinuz" ] ||
	cp "$modules/vmlinuz" "$dir/boot/vmlinuz-$kver"
# An uncompressed image, such as that of riscv64, has another name.
[ ! -f "$dir/boot/vmlinux-$kver" ] || mv "$dir/boot/vmlinux-$kver" "$dir/boot/vmlinuz-$kver"
[ -f "$dir/boot/vmlinuz-$kver" ] || { echo "lay_out: $root: no vmlinuz-$kver" >&2; exit 1; }
mv "$modules" "$dir/lib/modules/$kver"
# With {} +, find runs a program only if there is a file to decompress.
for pattern; do
	find "$dir/lib/modules/$kver" -name "$pattern.ko.xz" -exec xz -d {} +
	find "$dir/lib/modules/$kver" -name "$pattern.ko.gz" -exec gzip -d {} +
	find "$dir/lib/modules/$kver" -name "$pattern.ko.zst" -exec zstd -q -d --rm {} +
done
[ -n "$(find "$dir/lib/modules/$kver" -name '*.ko' | head -n 1)" ] ||
	{ echo "lay_out: $root: no module of $kver is a .ko" >&2; exit 1; }
