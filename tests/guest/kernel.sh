#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds or fetches a Debian kernel for the guests by apt, or builds one, and unpacks it into the
# cache. Nothing is installed:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/kernel-PACKAGE_VERSION/
#
# with the folders that lay_out.sh makes: boot/, lib/modules/.
#
#	tests/guest/kernel.sh [NAME]		(or KUTRACE_KERNEL=NAME)
#
# NAME is stock or missing: the distribution's own cloud kernel, of the series that the package
# linux-headers-cloud-amd64 names. No package of a kernel is installed, because the headers of
# Debian 13 depend on the bootable image.
#
# stock-SERIES[-FLAVOUR][-ARCH][@SUITE], such as stock-6.12, stock-7.2-rt, stock-6.12@trixie,
# stock-6.12-arm64, stock-6.12-riscv64: the newest kernel of that series. The flavour is cloud (the
# default), generic (the only one of riscv64), rt or, for arm64, 16k (pages of 16 KiB). It comes
# from the suites that this machine's apt has, from its backports, or from another release of
# Debian (kernel-patches/apt.sh); with SUITE from that release. Its headers and kbuild are unpacked
# beside it. Only those of its modules that guests load are decompressed. A kernel for another
# architecture has a busybox for it, as bin/busybox; its kbuild is for this machine. SERIES alone is
# the same as stock-SERIES.
#
# debug-SERIES, such as debug-6.1: Debian's source of that series, built here, with the kernel's
# checks of itself (KASAN, lockdep ...) and the tracepoints of a stock kernel. It has none of our
# hooks (kernel-patches/build.sh --unpatched --config debug). The first build takes minutes.
#
# tracepoints-SERIES, such as tracepoints-6.1: the same source with a small configuration and the
# tracepoints of kernel-patches/tracepoints (kernel-patches/build.sh --tracepoints).
#
# cfi-SERIES, such as cfi-6.12: the same source, compiled by clang with type checks, without our hooks
# (kernel-patches/build.sh --unpatched --config cfi).
#
# patched-SERIES-arm64, such as patched-6.12-arm64: the same source with our hooks and a small
# configuration, cross compiled (kernel-patches/build.sh --arch arm64). patched-SERIES-arm64-debug
# has the kernel's checks of itself, and unpatched-SERIES-arm64 is the first one without the hooks.
# (lib.sh and kernels.sh handle the patched kernels of x86-64, which bring the test modules with
# them.)
#
# A directory in the cache is complete, because it is renamed into place when it is complete. It is
# never stale, because a package version never changes its content. The script must not touch the
# machine's own kernel.
#
# Prints shell assignments: KVER, KDIR (headers), KERNEL_DIR, VMLINUZ, MODULES; KSUITE: the Debian
# release of the kernel, empty for a release that this machine's apt has; KARCH: arm64 or riscv64 for
# such a kernel, otherwise empty; KO: the module of a patched kernel.
# Exit status: 0; 1 with a message; 2 usage; 77 with a message when there is no such kernel.
set -euo pipefail

meta=linux-headers-cloud-amd64
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
here=$(cd "$(dirname "$0")" && pwd)
ksuite=
arch=amd64
foreign=

say()
{
	echo "kernel: $*" >&2
}

die()
{
	say "$@"
	exit 1
}

. "$here/../../kernel-patches/apt.sh"
. "$here/../progress.inc"

# Unpacks the packages into $work/root, and shows how far the download is. On failure the reason is
# in $work/log.
unpack()	# BYTES PACKAGE[=VERSION]...
{
	local status=0 bytes=$1

	shift
	mkdir -p "$work/root"
	progress_begin progress_fetch "$work/deb" "$bytes"
	apt_unpack "$work/deb" "$work/root" "$@" >"$work/log" 2>&1 || status=$?
	progress_end
	return $status
}

# Prints the size of the packages.
size_of()	# PACKAGE[=VERSION]...
{
	apt_bytes ${apt_options[@]+"${apt_options[@]}"} download "$@" || true
}

# ---- the distribution's own ----

# Sets $series to the series of the distribution's own kernel, on which the meta package depends.
# Without lists of packages, sets it to the newest series in the cache.
own_series()
{
	local suite

	apt_options=()
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	series=$(meta_series)
	[ -n "$series" ] || ! suite_apt "$suite" "$suite" || series=$(meta_series)
	[ -n "$series" ] || series=$(find "$cache" -maxdepth 1 -name "kernel-and-headers-linux-image-*$suffix[_]*" |
		sed 's/.*-linux-image-\([0-9]*\.[0-9]*\).*/\1/' | sort -V | tail -n 1)
	[ -n "$series" ] || die "apt has no $meta, and $cache has no stock kernel; try: apt-get update"
}

meta_series()
{
	apt-cache ${apt_options[@]+"${apt_options[@]}"} depends "$meta" 2>/dev/null |
		sed -n 's/.*Depends: linux-headers-\([0-9]*\.[0-9]*\)[-.+~].*/\1/p' | head -n 1
}

# ---- a kernel by its name ----

# Prints the releases of Debian that may have the series, besides those that this machine's apt has.
# The release that introduced the series is the first. Later series are on their way into the next
# release.
suites()
{
	local own

	[ -z "$only" ] || { echo "$only"; return; }
	own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	# The first release of Debian with riscv64 is trixie.
	[ "$arch" != riscv64 ] || own=${own#bookworm}
	# This machine's apt has no packages of another architecture.
	[ -z "$own" ] || [ -z "$foreign" ] || echo "$own"
	[ -z "$own" ] || echo "$own-backports"
	case $series in
	6.1) echo bookworm ;;
	6.12) echo trixie; echo bookworm ;;
	*) echo sid; echo forky; echo trixie-backports ;;
	esac
}

# Prints the releases of $series and $flavour whose headers apt has, as uname -r prints them, the newest first.
releases()
{
	apt-cache ${apt_options[@]+"${apt_options[@]}"} pkgnames "linux-headers-$series" |
		sed -n "s/^linux-headers-\(${series/./\\.}[-.+~].*$suffix\)\$/\1/p" |
		if [ "$flavour" = generic ]; then grep -vE -- "(^|-)(cloud|rt)-$arch\$" || true; else cat; fi |
		sort -rV
}

# Prints the packages and those they depend on that belong to the kernel, because images and headers
# are split. Takes the first of alternatives. Packages that the build runs are for this machine,
# whatever the kernel is for. apt lists packages of all architectures in angle brackets, as if they
# had the kernel's architecture.
parts_of()	# PACKAGE...
{
	local known=" " one

	while [ $# -gt 0 ]; do
		one=$1
		shift
		[ "${known#* "$one" }" = "$known" ] || continue
		known="$known$one "
		echo "$one"
		# shellcheck disable=SC2046 # names of packages
		set -- "$@" $(apt-cache ${apt_options[@]+"${apt_options[@]}"} depends "$one" | awk '
			$1 !~ /Depends:$/ { next }
			{ gsub(/[<>]/, "", $2) }
			$2 ~ /^linux-(kbuild-|headers-.*-common|base:)/ { sub(/:[^:]*$/, "", $2) }
			{ or = other; other = ($1 ~ /^\|/) }
			!or && $2 ~ /^linux-/ &&
				$2 !~ /^linux-(base|initramfs-tool|libc-dev|compiler-.*)$/ { print $2 }')
	done
}

# Sets kver, package and version to the newest release of which apt has headers and image. Returns 1 if there is
# none. A signed image comes into Debian's archive hours or days after its headers.
look()
{
	for kver in $(releases); do
		package=linux-image-$kver
		version=$(apt_version "$package${foreign:+:$foreign}")
		[ -z "$version" ] || return 0
	done
	return 1
}

find_named()
{
	local suite

	apt_options=()
	[ -n "$only$foreign" ] || ! look || return 0
	while read -r suite; do
		say "looking for Linux $series, $flavour, in Debian $suite"
		ksuite=$suite
		# shellcheck disable=SC2046 # one word or two
		suite_apt "$suite" $([ "$suite" = "${suite%-backports}" ] || echo "${suite%-backports}") \
			"$suite" || continue
		look && return
	done < <(suites)
	return 1
}

# Looks for the kernel in the cache, for use without a network.
find_kept()
{
	dir=$(find "$cache" -maxdepth 1 -name "kernel-and-headers-linux-image-$series[-.+~]*$suffix[_]*" |
		if [ "$flavour" = generic ]; then grep -vE -- "-(cloud|rt)-${arch}_" || true; else cat; fi |
		sort -V | tail -n 1)
	[ -n "$dir" ] && "$here/../cache.sh" --use "$dir" || return 1
	kver=${dir##*/kernel-and-headers-linux-image-}
	kver=${kver%%_*}
	say "no package list has it now; using the downloaded version $kver"
}

fetch_named()
{
	local parts bytes

	begin
	mapfile -t parts < <(parts_of "$package${foreign:+:$foreign}" "linux-headers-$kver${foreign:+:$foreign}"
		[ -z "$foreign" ] || echo "busybox-static:$foreign")
	bytes=$(size_of "${parts[@]}")
	say "fetching $package $version and its headers: ${#parts[@]} packages, $(megabytes "$bytes") to download (not installed, only unpacked)"
	unpack "$bytes" "${parts[@]}" || { tail -n 10 "$work/log" >&2; return 1; }
	mkdir -p "$work/out"
	"$here/lay_out.sh" "$work/root" "$work/out" "$kver" 'virtio*' fuse efivarfs || exit 1
	[ -d "$work/root/usr/src/linux-headers-$kver" ] || die "linux-headers-$kver has no usr/src"
	mkdir -p "$work/out/usr/lib"
	mv "$work/root/usr/src" "$work/out/usr/src"
	find "$work/root/usr/lib" -maxdepth 1 -name 'linux-kbuild-*' -exec mv {} "$work/out/usr/lib/" \;
	# The headers contain the paths of an installation. Their vmlinux is only for type
	# information in modules, and needs another tool.
	sed -i "s|\([ =]\)/usr/src|\1$dir/usr/src|" "$work/out/usr/src/linux-headers-$kver/Makefile"
	rm -f "$work/out/usr/src/linux-headers-$kver/vmlinux"
	if [ -n "$foreign" ]; then
		mkdir "$work/out/bin"
		find "$work/root" -path '*bin/busybox' -exec cp {} "$work/out/bin/" \;
		[ -f "$work/out/bin/busybox" ] || die "busybox-static has no busybox"
	fi
	echo "$ksuite" >"$work/out/suite"
	finish
}

# Fetches $package. If the machine's lists name a version that is no longer offered, uses today's lists.
use_named()
{
	local suite

	dir=$cache/kernel-and-headers-${package}_${version/:/%3a}
	! "$here/../cache.sh" --use "$dir" || return 0
	! fetch_named || return 0
	[ ${#apt_options[@]} = 0 ] || die "cannot fetch $package"
	rm -rf "$work"
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	suite_apt "$suite" "$suite" && look || die "cannot fetch $package"
	dir=$cache/kernel-and-headers-${package}_${version/:/%3a}
	"$here/../cache.sh" --use "$dir" || fetch_named || die "cannot fetch $package"
}

named_kernel()
{
	if find_named; then
		use_named
	elif [ -n "$only" ] || ! find_kept; then
		# shellcheck disable=SC2046 # on one line
		say "cannot find Linux $series, flavour $flavour${foreign:+, for $foreign}, in ${only:+Debian }${only:-the lists of apt, nor in Debian $(echo $(suites))}"
		exit 77
	fi
	kdir=$dir/usr/src/linux-headers-$kver
	ksuite=$(cat "$dir/suite" 2>/dev/null || true)
}

# ---- a debug kernel, or one with the series of tracepoints ----

built_kernel()	# SERIES build.sh's OPTION...
{
	local found

	[ -d "$here/../../kernel-patches/linux-$1" ] || die "Linux $1 is none that kernel-patches/build.sh builds"
	found=$("$here/../../kernel-patches/build.sh" --kver "$@") || exit 1
	eval "$found"
	dir=$KERNEL_DIR kver=$KRELEASE
	kdir=$dir/usr/src/linux-headers-$kver
}

# ---- a patched kernel for another architecture ----

# Fetches a busybox for that architecture, of this machine's Debian release.
fetch_busybox()	# DIR
{
	begin
	suite_apt "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" &&
		unpack "$(size_of "busybox-static:$foreign")" "busybox-static:$foreign" || die "cannot fetch busybox-static:$foreign"
	mkdir "$work/bin"
	find "$work/root" -path '*bin/busybox' -exec cp {} "$work/bin/" \;
	[ -f "$work/bin/busybox" ] || die "busybox-static has no busybox"
	chmod 755 "$work/bin"
	mv -T "$work/bin" "$1/bin" 2>/dev/null || [ -d "$1/bin" ] || die "cannot create $1/bin"
}

patched_kernel()	# [un]patched-SERIES-ARCH[-debug]
{
	local found series config=stripped options=()

	[ "$1" = "${1#un}" ] || options=(--unpatched)
	arch=${1#*patched-}
	series=${arch%%-*} arch=${arch#*-}
	[ "$arch" = "${arch%-debug}" ] || config=debug arch=${arch%-debug}
	foreign=$arch
	"$here/../deps.sh" kernel "$arch" >&2
	found=$("$here/../../kernel-patches/build.sh" --kver "$series" --arch "$arch" --config "$config" \
		${options[@]+"${options[@]}"}) || exit 1
	eval "$found"
	dir=$KERNEL_DIR kver=$KRELEASE ko=$KO
	kdir=$dir/usr/src/linux-headers-$kver
	[ -d "$dir/bin" ] || fetch_busybox "$dir"
}

# ---- all kernels ----

begin()
{
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
}

# Moves the folder into place. If another process was faster, its folder is used.
finish()
{
	chmod 755 "$work/out"
	mv -T "$work/out" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	"$here/../cache.sh" --trim || true
}

ko=
name=${1-${KUTRACE_KERNEL-}}
name=${name#stock}
name=${name#-}
only=
case $name in
*@*) only=${name#*@} name=${name%%@*} ;;
esac
flavour=cloud suffix=-cloud-amd64
if [ -z "$name" ]; then
	own_series
	named_kernel
elif [ "$name" != "${name#debug-}" ]; then
	built_kernel "${name#debug-}" --unpatched --config debug
elif [ "$name" != "${name#tracepoints-}" ]; then
	built_kernel "${name#tracepoints-}" --tracepoints
elif [ "$name" != "${name#cfi-}" ]; then
	built_kernel "${name#cfi-}" --unpatched --config cfi
elif [[ $name =~ ^(un)?patched-[0-9.]+-arm64(-debug)?$ ]]; then
	patched_kernel "$name"
else
	series=${name%%-*}
	flavour=${name#"$series"}
	flavour=${flavour#-}
	case $flavour in
	arm64 | *-arm64) arch=arm64 flavour=${flavour%arm64} flavour=${flavour%-} ;;
	riscv64 | *-riscv64) arch=riscv64 flavour=${flavour%riscv64} flavour=${flavour%-} ;;
	esac
	[ "$arch" = "$(dpkg --print-architecture)" ] || foreign=$arch
	[ "$arch" != riscv64 ] || : "${flavour:=generic}"
	case ${flavour:=cloud} in
	cloud | rt) suffix=-$flavour-$arch ;;
	generic | amd64) flavour=generic suffix=-$arch ;;
	16k) suffix=-$arch-16k ;;
	*) series= ;;
	esac
	[[ $series =~ ^[0-9]+\.[0-9]+$ ]] || {
		say "no kernel is called ${1-$KUTRACE_KERNEL}: stock, or stock-SERIES[-FLAVOUR][-arm64|-riscv64][@SUITE], as stock-6.12, stock-6.12-rt, stock-6.12@trixie, stock-6.12-arm64; flavours: cloud, generic, rt; arm64 also has 16k; riscv64 has only generic, the default; or debug-SERIES, tracepoints-SERIES, cfi-SERIES, patched-SERIES-arm64"
		exit 2
	}
	named_kernel
fi
printf "KVER='%s'\nKDIR='%s'\nKERNEL_DIR='%s'\nVMLINUZ='%s'\nMODULES='%s'\nKSUITE='%s'\nKARCH='%s'\n" \
	"$kver" "$kdir" "$dir" "$dir/boot/vmlinuz-$kver" "$dir/lib/modules/$kver" "$ksuite" "${arch#amd64}"
[ -z "$ko" ] || printf "KO='%s'\n" "$ko"
