#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds kutrace.ko for a kernel's build folder by `make module`. If the same compiler has compiled the
# same sources for that kernel before, takes the earlier result from
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/module-KVER-HASH/
#
# If another release of gcc built the kernel than this machine has, the module is built in a minimal
# root of the kernel's Debian release (root.sh). The compiler's output is printed in both cases, so
# that a caller can search it for warnings.
#
#	tests/guest/module_build.sh KDIR KVER BUILD [KSUITE [FOLDER]]
#
# writes kutrace.ko to BUILD/module/KVER, and Module.symvers, which modules that use kutrace.ko
# need. KSUITE is the variable that kernel.sh prints. With FOLDER, the script builds that folder's
# module instead, into BUILD/module/KVER/NAME, where NAME is the folder's name. The module may use
# kutrace_point.h, and the symbols of the kutrace.ko in BUILD/module/KVER. Exit status: 0; 77 with a
# message: the compiler is not available; otherwise the exit status of make.
set -euo pipefail
[ $# -ge 3 ] && [ $# -le 5 ] ||
	{ echo "usage: module_build.sh KDIR KVER BUILD [KSUITE [FOLDER]]" >&2; exit 2; }
kdir=$1 kver=$2 build=$3 suite=${4-} folder=${5-module}
cd "$(dirname "$0")/../.."
. tests/keys.inc
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
dir=$build/module/$kver name=kutrace
if [ "$folder" != module ]; then
	dir=$dir/${folder##*/}
	name=$(sed -n 's/^obj-m := \(.*\)\.o$/\1/p' "$folder/Kbuild")
	symbols=$build/module/$kver/Module.symvers
fi
cc=${CC:-gcc}
cc=${cc#ccache }
# A kernel for another architecture needs that architecture's compiler.
cross='' arch='' group=''
wants()	# MACHINE ARCH GROUP: the names of the architecture in uname, kbuild and deps.sh
{
	[ "$(uname -m)" != "$1" ] || return 0
	cross=$1-linux-gnu- arch=$2 group=$3
	cc=${cross}gcc
	command -v "$cc" >/dev/null || { echo "built: $cc is missing; run tests/deps.sh $group" >&2; exit 77; }
}
! grep -q '^CONFIG_ARM64=y$' "$kdir/.config" || wants aarch64 arm64 arm64
! grep -q '^CONFIG_RISCV=y$' "$kdir/.config" || wants riscv64 riscv riscv64

# A kernel that clang compiled needs clang.
llvm=
if grep -q '^CONFIG_CC_IS_CLANG=y$' "$kdir/.config"; then
	here=$PWD/kernel-patches
	. "$here/lib.sh"
	kernel_llvm
	cc=$llvm/clang
fi

# Major number of the gcc that built the kernel, and the root with it, if this machine has another gcc.
major=
[ -n "$llvm" ] || major=$(tests/guest/root.sh --wanted "$kdir" "$suite" "$cc")
root=
[ -z "$major" ] || root=$(tests/guest/root.sh --name "$suite" "$major" $cross)

inputs()
{
	realpath "$kdir"
	cat "$kdir/.config" "$kdir/Module.symvers" "$kdir/include/generated/utsrelease.h"
	echo "${KBUILD_ARGS-}" "${KCFLAGS-}" "$cc" "$root"
	# shellcheck disable=SC2086
	tools_key $cc "$($cc -print-prog-name=cc1)" ${cross}as ${cross}ld make ${cross}objcopy \
		${llvm:+"$llvm/ld.lld"}
	files_key "$folder" tests/guest/module_build.sh
	[ "$folder" = module ] || cat module/uapi/kutrace_point.h "$symbols" 2>/dev/null || true
}

# Runs kbuild, or `make module`, in $dir. In the root, only $dir and the kernel's folder are
# visible.
build_module()
{
	local at args=${KBUILD_ARGS-W=1} in=

	[ -z "$cross" ] || args="$args ARCH=$arch CROSS_COMPILE=$cross"
	[ -z "$llvm" ] || args="$args LLVM=$llvm/"
	at=$(realpath "$dir")
	if [ -n "$root" ]; then
		tests/guest/root.sh --make "$suite" "$major" $cross >/dev/null || return
		args="$args -j$(nproc)"
		in="$PWD/tests/guest/root.sh --in $root:$(realpath "$kdir/../../.."):$at --"
	fi
	if [ "$folder" = module ]; then
		${KU_MAKE:-make} --no-print-directory module KDIR="$kdir" BUILD="$build" \
			KBUILD_ARGS="$args" KBUILD_IN="$in"
	else
		cp "$folder"/* module/uapi/kutrace_point.h "$at/"
		# Copy the file of symbols, because its folder is not visible in the root. If there
		# is none, use an empty file.
		cp "$symbols" "$at/kutrace.symvers" 2>/dev/null || : >"$at/kutrace.symvers"
		args="$args KBUILD_EXTRA_SYMBOLS=$at/kutrace.symvers"
		# shellcheck disable=SC2086 # words
		$in ${KU_MAKE:-make} --no-print-directory -C "$kdir" M="$at" $args modules
	fi
}

# Replaces each file in one step, and only if its bytes differ: other guests may copy it at the same
# time.
put()	# FILE...
{
	local file

	for file; do
		cmp -s "$file" "$dir/${file##*/}" && continue
		cp "$file" "$dir/.${file##*/}.$$"
		mv -f "$dir/.${file##*/}.$$" "$dir/${file##*/}"
	done
}

key=$(inputs | sha256sum | cut -c 1-32)
kept=$cache/module-$kver-$key
# One process at a time builds in a folder. A process that waited finds the module built.
mkdir -p "$dir"
exec 8>"$dir/.built.lock"
flock 8
if ! tests/cache.sh --use "$kept"; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	build_module 2>&1 | tee "$work/log"
	cp "$dir/$name.ko" "$dir/Module.symvers" "$work/"
	chmod 755 "$work"
	mv -T "$work" "$kept" 2>/dev/null || [ -d "$kept" ]
	tests/cache.sh --trim || true
else
	cat "$kept/log"
	put "$kept/$name.ko" "$kept/Module.symvers"
fi
