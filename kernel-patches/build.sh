#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds a kernel with KUtrace from the distribution's source package, as `make
# kernel` asks for it. The package is fetched by apt and unpacked, never installed;
# source and builds are kept in
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/
#
# under names that hold the package's version and a hash of all that went into
# them, so a second run is quick and a stale kernel impossible. A directory there
# is complete, because it is renamed into place when it is.
#
#	kernel-patches/build.sh [--kver 6.1] [--config stripped|debug|kcsan|cfi|debian] [--arch arm64]
#				[--unpatched | --builtin | --tracepoints] [--keep-tree] [--jobs N]
#
# --arch arm64 cross compiles for that (stripped and debug, of the releases whose series has patches for it);
# usr/src/linux-headers-* in KERNEL_DIR is what a module of the tests is built against.
#
# --config cfi is compiled by clang 19, which is fetched into the cache: each indirect call checks the type
# of its target. It has the entry code of CPUs with FRED.
#
# --builtin has the module in the kernel, for kutrace.boot=MB on its command line. It differs
# from the kernel with a module in a few files only: with --keep-tree that one's build leaves
# its tree where it is, in the cache, and the next --builtin of the same sources goes on in it.
# There is one such tree at most, and it is gone with its use.
#
# --tracepoints builds a kernel with the second series (tracepoints/) and without KUtrace's hooks.
# The tests build the module against its headers: usr/src/linux-headers-* in KERNEL_DIR.
#
# --unpatched --config debug is a kernel that checks itself for the module as it attaches to
# stock kernels: usr/src/linux-headers-* in KERNEL_DIR is what the module is built against.
#
# Prints shell assignments: KERNEL_DIR (boot/vmlinuz-*, lib/modules/* as boot.sh
# wants it; warnings holds what compiler and objtool warned of), KRELEASE, KO
# (kutrace.ko, empty when unpatched or built in). Progress on stderr.
# Exit status: 0, 1 with a message, 2 usage.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
kver=6.1 config=stripped patched=yes tracepoints=no module=m keep=no jobs=$(nproc) karch=

die()
{
	echo "kernel: $*" >&2
	exit 1
}

while [ $# -gt 0 ]; do
	case $1 in
	--unpatched) patched=no; shift; continue ;;
	--tracepoints) patched=no tracepoints=yes; shift; continue ;;
	--builtin) module=y; shift; continue ;;
	--keep-tree) keep=yes; shift; continue ;;
	--kver | --config | --jobs | --arch) [ $# -ge 2 ] || { echo "kernel: $1 wants a value" >&2; exit 2; } ;;
	*) echo "kernel: unknown option $1" >&2; exit 2 ;;
	esac
	case $1 in
	--kver) kver=$2 ;;
	--config) config=$2 ;;
	--jobs) jobs=$2 ;;
	--arch) karch=$2 ;;
	esac
	shift 2
done
case $config in
stripped | debug | kcsan | cfi | debian) ;;
*) echo "kernel: no configuration $config: stripped, debug, kcsan, cfi or debian" >&2; exit 2 ;;
esac
case $karch in
'' | amd64) karch='' ;;
arm64)
	case $config in
	debian | kcsan | cfi) echo "kernel: no configuration $config for arm64" >&2; exit 2 ;;
	esac
	command -v aarch64-linux-gnu-gcc >/dev/null || die "there is no aarch64-linux-gnu-gcc: tests/deps.sh arm64"
	;;
*) echo "kernel: no architecture $karch: arm64, or none for x86-64" >&2; exit 2 ;;
esac
all=$here
[ "$tracepoints" = no ] || all=$here/tracepoints
[ -f "$all/linux-$kver/series" ] || die "no patches for Linux $kver: there are $(cd "$all" && echo linux-*)"

work= work_left=
[ -z "$karch" ] || [ "$patched" = no ] || grep -q "$karch" "$here/linux-$kver/series" ||
	die "no patches for Linux $kver on $karch"
trap 'rm -rf ${work:+"$work"} ${work_left:+"$work_left"}' EXIT
kernel_source

# --- what goes in ---
configs=("$here/configs/stripped.config")
[ -z "$karch" ] || configs+=("$here/configs/$karch.config")
case $config in
debug | kcsan | cfi) configs+=("$here/configs/$config.config") ;;
esac
[ "$config" != cfi ] || kernel_llvm
case $config$patched$tracepoints in
debugno*) configs+=("$here/configs/attach.config") ;;
cfino*) configs+=("$here/configs/plain.config" "$here/configs/names.config") ;;
*yes) configs+=("$here/configs/names.config") ;;
esac
# What is for other architectures is not compiled.
foreign=()
for each in x86 arm64 riscv; do
	[ "$each" = "${karch:-x86}" ] || foreign+=(! -path "*/$each/*")
done
# inputs m|y
inputs()
{
	echo "$kver $config $patched $1 $version"
	$(kernel_cc) --version | head -n 1
	cat "$here/build.sh" "$here/lib.sh" "${configs[@]}"
	echo "$karch"
	[ "$config" != debian ] || cat "$debian"
	[ "$tracepoints" = no ] || cat "$here/apply.sh" "$all/linux-$kver"/*
	[ "$patched" = no ] || (cd "$here/.." && find Kconfig kernel-patches/apply.sh kernel-patches/files \
		"kernel-patches/linux-$kver" module -type f "${foreign[@]}" -print0 | LC_ALL=C sort -z |
		xargs -0 sha256sum)
}

debian=
if [ "$config" = debian ]; then
	found=$("$here/../tests/guest/kernel.sh") || exit 1
	debian=$(eval "$found"; echo "$KERNEL_DIR/boot/config-$KVER")
	[ -f "$debian" ] || die "the distribution's kernel has no $debian"
fi
# name_of m|y: of the directory in the cache
name_of()
{
	local name=${karch:+$karch-}$config

	[ "$patched" = yes ] || name=$config-unpatched
	[ "$tracepoints" = no ] || name=$config-tracepoints
	[ "$1" = m ] || name=$name-builtin
	echo "linux-$kver-$name-$(inputs "$1" | sha256sum | cut -c 1-16)"
}

name=$(name_of "$module")
dir=$cache/$name
# A link to a tree that was left. Who renames it has the tree, which cannot be moved itself: make
# would compile all of it again.
left=$cache/tree-$(name_of m)

# As few as possible: removes what nobody came for.
drop_trees()
{
	local link

	for link in "$cache"/tree-linux-*; do
		[ ! -L "$link" ] || ! mv -T "$link" "$work/dropped" 2>/dev/null ||
			rm -rf "$(dirname "$(readlink "$work/dropped")")"
	done
}

if [ ! -d "$dir" ]; then
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	tree=$work/tree
	echo "kernel: building Linux $version, $name: minutes; log in $work/log" >&2
	if [ "$module" = y ] && mv -T "$left" "$work/left" 2>/dev/null; then
		tree=$(readlink "$work/left")
		work_left=${tree%/tree}
	else
		cp -a "$source" "$tree"
		[ "$patched" = no ] || "$here/apply.sh" "$tree" "$kver"
		[ "$tracepoints" = no ] || "$here/apply.sh" --tracepoints "$tree" "$kver"
		mkdir "$tree/build"
	fi
	if [ "$config" = debian ]; then
		cp "$debian" "$work/all.config"
		# Signing needs keys that are not ours (lockdown selects MODULE_SIG all
		# the same), debug information only time.
		cat >>"$work/all.config" <<-'END'
			CONFIG_SYSTEM_TRUSTED_KEYS=""
			CONFIG_MODULE_SIG_KEY=""
			# CONFIG_MODULE_SIG is not set
			# CONFIG_MODULE_SIG_ALL is not set
			CONFIG_DEBUG_INFO_NONE=y
			# CONFIG_DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT is not set
			# CONFIG_DEBUG_INFO_BTF is not set
		END
	else
		cat "${configs[@]}" >"$work/all.config"
	fi
	[ "$patched" = no ] || kutrace_options $module >>"$work/all.config"
	{
		if [ "$config" = debian ]; then
			cp "$work/all.config" "$tree/build/.config"
			kernel_make "$tree" olddefconfig
		else
			kernel_config "$tree" "$work/all.config"
		fi &&
			kernel_make "$tree" "$(basename "$(kernel_image)")" modules &&
			kernel_make "$tree" INSTALL_MOD_PATH="$work/out" INSTALL_MOD_STRIP=1 \
				modules_install
	} >"$work/log" 2>&1 || {
		grep -E 'error|Error|No rule' "$work/log" | head -n 10 >&2
		cp "$work/log" "$cache/$name.log"
		die "the build failed: $cache/$name.log"
	}
	grep -E 'warning:|WARNING:' "$work/log" >"$work/warnings" || true
	release=$(cat "$tree/build/include/config/kernel.release")
	mkdir -p "$work/out/boot" "$work/out/lib/modules"
	mv "$work/warnings" "$work/out/"
	cp "$tree/build/$(kernel_image)" "$work/out/boot/vmlinuz-$release"
	cp "$tree/build/.config" "$work/out/boot/config-$release"
	rm -f "$work/out/lib/modules/$release/build" "$work/out/lib/modules/$release/source"
	[ "$config$patched" != debugno ] && [ "$config" != kcsan ] && [ -z "$karch" ] && [ "$tracepoints" = no ] &&
		[ "$config$patched" != cfino ] ||
		kernel_headers "$tree" "$work/out/usr/src/linux-headers-$release" ||
		die "$tree has no headers to build a module against"
	chmod 755 "$work/out"
	mv -T "$work/out" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	if [ "$keep" = yes ] && [ "$module" = m ] && [ ! -d "$cache/$(name_of y)" ]; then
		drop_trees
		if ln -s "$tree" "$left"; then work=; fi
	fi
fi
vmlinuz=$(echo "$dir"/boot/vmlinuz-*)
release=${vmlinuz##*/vmlinuz-}
printf "KERNEL_DIR='%s'\nKRELEASE='%s'\nKO='%s'\n" "$dir" "$release" \
	"$(find "$dir/lib" -name kutrace.ko)"
