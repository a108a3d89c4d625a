#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Debian's LTTng for a guest of a stock kernel, for bill.sh to compare with: its programs (tests/guest/programs.sh),
# and its modules, which Debian has as source, built for that kernel and kept in the cache,
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/lttng-KVER-HASH/
#
# with a hash of the package and of what the kernel's headers say of it. Nothing is installed.
#
#	tests/bench/lttng.sh KDIR KVER	prints SRC:DST of each file that the guest needs, a line each,
#					as boot.sh's --file wants them
#
# Exit status: 0; 1 with a message; 2 usage; 77 with a message when it cannot be had.
set -euo pipefail
[ $# = 2 ] || { echo "usage: lttng.sh KDIR KVER" >&2; exit 2; }
kdir=$1 kver=$2
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace

die()
{
	echo "lttng: $*" >&2
	exit 1
}

. kernel-patches/apt.sh
libexec=usr/lib/$(uname -m)-linux-gnu/lttng/libexec
programs=$(tests/guest/programs.sh lttng lttng-tools usr/bin/lttng usr/bin/lttng-sessiond "$libexec/lttng-consumerd")
echo "$programs"
# Without it the daemon ends.
root=$(sed -n 's|/usr/bin/lttng:/bin/lttng$||p' <<<"$programs")
echo "$root/usr/share/xml/lttng/session.xsd:/usr/share/xml/lttng/session.xsd"
version=$(apt_version lttng-modules-dkms)
[ -n "$version" ] || { echo "lttng: apt has no lttng-modules-dkms" >&2; exit 77; }
dir=$cache/lttng-$kver-$({ echo "$version"; cat "$kdir/.config" "$kdir/Module.symvers"; } | sha256sum | cut -c 1-16)
if ! tests/cache.sh --use "$dir"; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/root"
	apt_unpack "$work/deb" "$work/root" "lttng-modules-dkms=$version" kmod >"$work/log" 2>&1 || {
		echo "lttng: apt cannot fetch its modules: $(tail -n 1 "$work/log")" >&2
		exit 77
	}
	source=$(echo "$work"/root/usr/src/lttng-modules-*)
	# Of hrtimer_start, which has an argument more in stable releases since.
	sed -i '/lttng-probe-timer\.o/d' "$source/src/probes/Kbuild"
	make -j2 -C "$kdir" M="$source" CONFIG_LTTNG=m CONFIG_LTTNG_CLOCK_PLUGIN_TEST=n modules >"$work/log" 2>&1 ||
		die "its modules cannot be built: $(grep -m 1 'error' "$work/log" || tail -n 1 "$work/log")"
	mkdir -p "$work/tree/lib/modules/$kver/extra"
	find "$source" -name '*.ko' -exec cp {} "$work/tree/lib/modules/$kver/extra/" \;
	strip --strip-debug "$work/tree/lib/modules/$kver/extra/"*.ko
	: >"$work/tree/lib/modules/$kver/modules.order"
	: >"$work/tree/lib/modules/$kver/modules.builtin"
	cp "$(find "$work/root" -name kmod -type f -path '*bin/*')" "$work/depmod"
	"$work/depmod" -b "$work/tree" "$kver" >"$work/log" 2>&1 || die "depmod: $(tail -n 1 "$work/log")"
	mv -T "$work/tree" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
	rm -rf "$work"
	tests/cache.sh --trim || true
fi
(cd "$dir" && find lib -type f) | while IFS= read -r file; do
	echo "$dir/$file:/$file"
done
