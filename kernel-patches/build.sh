#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds a kernel with KUtrace from the distribution's source package; `make kernel` runs it. apt
# fetches the package, and nothing is installed. Sources and builds stay in the cache:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/
#
# Their names contain the package's version and a hash of all inputs. So a second run finds the
# kernel, and a stale kernel is never used. A directory gets its name when it is complete.
#
#	kernel-patches/build.sh [--kver 6.1] [--config stripped|debug|kcsan|cfi|debian] [--arch arm64]
#				[--unpatched | --builtin | --tracepoints] [--keep-tree] [--jobs N]
#
# --arch arm64 cross compiles for arm64: configurations stripped and debug, of releases whose series
# has patches for arm64.
#
# --config cfi compiles with clang 19, which is fetched into the cache: each indirect call checks
# the type of its target. The kernel has the entry code of CPUs with FRED.
#
# --builtin builds the module into the kernel, for kutrace.boot=MB on its command line. Only a few
# files differ from the kernel with a loadable module. With --keep-tree a build with a loadable
# module leaves its tree in the cache, and the next --builtin of the same sources uses and removes
# it. The cache has at most one such tree.
#
# --tracepoints builds a kernel with the second series (tracepoints/) and without KUtrace's hooks.
#
# --unpatched --config debug builds a kernel with the kernel's own checks, for the module as it
# attaches to stock kernels.
#
# Prints shell assignments: KERNEL_DIR (boot/vmlinuz-* and lib/modules/*, as boot.sh needs them;
# warnings, the warnings of compiler and objtool), KRELEASE, KO (kutrace.ko, empty if the kernel is
# unpatched or the module built in). KERNEL_DIR has usr/src/linux-headers-* if the tests build
# modules for that kernel. Progress goes to stderr.
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
	--kver | --config | --jobs | --arch) [ $# -ge 2 ] || { echo "kernel: $1 needs a value" >&2; exit 2; } ;;
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
*) echo "kernel: unknown configuration $config (stripped, debug, kcsan, cfi, debian)" >&2; exit 2 ;;
esac
case $karch in
'' | amd64) karch='' ;;
arm64)
	case $config in
	debian | kcsan | cfi) echo "kernel: no configuration $config for arm64" >&2; exit 2 ;;
	esac
	command -v aarch64-linux-gnu-gcc >/dev/null || die "cannot find aarch64-linux-gnu-gcc; try tests/deps.sh arm64"
	;;
*) echo "kernel: unknown architecture $karch (amd64, arm64)" >&2; exit 2 ;;
esac
all=$here
[ "$tracepoints" = no ] || all=$here/tracepoints
[ -f "$all/linux-$kver/series" ] || die "no patches for Linux $kver: there are $(cd "$all" && echo linux-*)"

work= work_left=
[ -z "$karch" ] || [ "$patched" = no ] || grep -q "$karch" "$here/linux-$kver/series" ||
	die "no patches for Linux $kver on $karch"
trap 'rm -rf ${work:+"$work"} ${work_left:+"$work_left"}' EXIT
kernel_source

# --- inputs ---
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
# Lists the files of other architectures, which are not compiled.
foreign=()
for each in x86 arm64 riscv; do
	[ "$each" = "${karch:-x86}" ] || foreign+=(! -path "*/$each/*")
done
# inputs m|y: prints everything that the kernel depends on.
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
	[ -f "$debian" ] || die "cannot find the configuration of the distribution's kernel: $debian"
fi
# name_of m|y: prints the name of the kernel's directory in the cache.
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
# Name of the link to a tree that --keep-tree left. A process takes the tree by renaming the link.
# The tree itself must not move, because make would then compile all of it again.
left=$cache/tree-$(name_of m)

# Removes trees that no build has used.
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
	echo "kernel: building Linux $version, $name; this takes minutes (log: $work/log)" >&2
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
		# Signing needs the distribution's keys. (Lockdown selects MODULE_SIG
		# anyway.) Debug information takes time.
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
		die "cannot build $name: see $cache/$name.log"
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
		die "cannot copy the headers of $tree"
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
