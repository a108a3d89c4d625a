#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Provides Debian's LTTng for a guest of a stock kernel, for the comparison in everyday.sh: its programs
# (tests/guest/programs.sh), and its modules, which Debian has as source, built for that kernel and
# kept in the cache,
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/lttng-KVER-HASH/
#
# with a hash of the package and of the kernel's headers. Nothing is installed. If the kernel is too
# new for this release's source, unstable's source is used, whose modules work with these programs.
#
#	tests/bench/lttng.sh KDIR KVER [KSUITE]	prints a line SRC:DST for each file that the guest needs, as
#					for boot.sh's --file. KSUITE is the variable of tests/guest/kernel.sh
#
# Exit status: 0; 1 with a message; 2 usage; 77 with a message if LTTng is not available.
set -euo pipefail
[ $# = 2 ] || [ $# = 3 ] || { echo "usage: lttng.sh KDIR KVER [KSUITE]" >&2; exit 2; }
kdir=$1 kver=$2 ksuite=${3-}
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace

die()
{
	echo "lttng: $*" >&2
	exit 1
}

. kernel-patches/apt.sh
foreign='' apt_options=()

# Sets version and dir of the source in SUITE (default: the suites of this machine's apt). Returns
# 77 if there is none.
find_source()	# [SUITE]
{
	[ $# = 0 ] || suite_apt "$1" "$1" || return 77
	version=$(apt_version lttng-modules-dkms)
	[ -n "$version" ] || return 77
	dir=$cache/lttng-$kver-$({ echo "$version"; cat "$kdir/.config" "$kdir/Module.symvers"; } | sha256sum | cut -c 1-16)
}

# Builds the source in $work/source with the compiler that built the kernel. Errors are in
# $work/log.
build_modules()
{
	local major root in=()

	rm -rf "$work/root"
	mkdir "$work/root"
	apt_unpack "$work/deb" "$work/root" "lttng-modules-dkms=$version" >"$work/log" 2>&1 || return
	source=$(echo "$work"/root/usr/src/lttng-modules-*)
	# Leave out the probe of hrtimer_start, which has one argument more in newer stable
	# releases.
	sed -i '/lttng-probe-timer\.o/d' "$source/src/probes/Kbuild"
	major=$(tests/guest/root.sh --wanted "$kdir" "$ksuite" gcc) || return
	if [ -n "$major" ]; then
		root=$(tests/guest/root.sh --make "$ksuite" "$major") || return
		in=(tests/guest/root.sh --in "$root:$(realpath "$kdir/../../.."):$work/root" --)
	fi
	${in[@]+"${in[@]}"} make -j2 -C "$kdir" M="$source" CONFIG_LTTNG=m CONFIG_LTTNG_CLOCK_PLUGIN_TEST=n modules \
		>"$work/log" 2>&1
}

# Stores the built modules in $dir, with the list that modprobe reads.
keep_modules()
{
	local extra=$work/tree/lib/modules/$kver/extra

	mkdir -p "$extra"
	find "$source" -name '*.ko' -exec cp {} "$extra/" \;
	strip --strip-debug "$extra"/*.ko
	: >"$work/tree/lib/modules/$kver/modules.order"
	: >"$work/tree/lib/modules/$kver/modules.builtin"
	apt_options=()
	apt_unpack "$work/deb" "$work/root" kmod >"$work/log" 2>&1 || die "apt cannot fetch kmod: $(tail -n 1 "$work/log")"
	cp "$(find "$work/root" -name kmod -type f -path '*bin/*')" "$work/depmod"
	"$work/depmod" -b "$work/tree" "$kver" >"$work/log" 2>&1 || die "depmod: $(tail -n 1 "$work/log")"
	mv -T "$work/tree" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	tests/cache.sh --trim || true
}

why()
{
	grep -m 1 -i 'error' "$work/log" || tail -n 1 "$work/log"
}

libexec=usr/lib/$(uname -m)-linux-gnu/lttng/libexec
programs=$(tests/guest/programs.sh lttng lttng-tools usr/bin/lttng usr/bin/lttng-sessiond "$libexec/lttng-consumerd")
echo "$programs"
# The daemon does not run without this file.
root=$(sed -n 's|/usr/bin/lttng:/bin/lttng$||p' <<<"$programs")
echo "$root/usr/share/xml/lttng/session.xsd:/usr/share/xml/lttng/session.xsd"
mkdir -p "$cache"
work=$(mktemp -d "$cache/.tmp.XXXXXX")
trap 'rm -rf "$work"' EXIT
find_source || { echo "lttng: apt has no lttng-modules-dkms" >&2; exit 77; }
if ! tests/cache.sh --use "$dir"; then
	if build_modules; then
		keep_modules
	else
		echo "lttng: $version cannot be built for $kver: $(why)" >&2
		find_source sid || { echo "lttng: unstable's source cannot be had" >&2; exit 77; }
		tests/cache.sh --use "$dir" || {
			echo "lttng: building $version" >&2
			build_modules || die "$version cannot be built either: $(why)"
			keep_modules
		}
	fi
fi
(cd "$dir" && find lib -type f) | while IFS= read -r file; do
	echo "$dir/$file:/$file"
done
