#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds or fetches Debian's stock cloud kernel for the guests: the image that
# belongs to the installed headers (package linux-headers-cloud-amd64), fetched
# by apt and unpacked, never installed, into the cache
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/kernel-PACKAGE_VERSION/
#
# as lay_out.sh lays it out: boot/, lib/modules/, no module compressed.
#
# A directory there is complete, because it is renamed into place when it is,
# and never stale, because a package version never changes its content. Called
# by payload.sh. It must not touch the machine's own kernel.
#
# With KUTRACE_KERNEL=6.12 it is the cloud kernel of that series, where apt knows one
# besides the distribution's own (package linux-headers-6.12-cloud-amd64); the headers
# are unpacked beside it and not installed either.
#
# Prints shell assignments: KVER, KDIR (headers), KERNEL_DIR, VMLINUZ, MODULES.
# Exit status: 0; 1 with a message; 77 with one when apt knows no such series.
set -euo pipefail

meta=linux-headers-cloud-amd64
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
here=$(cd "$(dirname "$0")" && pwd)

die()
{
	echo "kernel: $*" >&2
	exit 1
}

# The real headers package behind the meta package, e.g. 6.1.0-56-cloud-amd64.
find_headers()
{
	local depends
	depends=$(dpkg-query -W -f '${Depends}' "$meta" 2>/dev/null) ||
		die "package $meta is not installed: tests/deps.sh module"
	kver=$(printf '%s\n' "$depends" | tr ', ' '\n\n' |
		sed -n 's/^linux-headers-\([0-9].*\)$/\1/p' | head -n 1)
	[ -n "$kver" ] || die "$meta does not say which headers it depends on: $depends"
	version=$(dpkg-query -W -f '${Version}' "linux-headers-$kver" 2>/dev/null) ||
		die "package linux-headers-$kver is not installed"
	kdir=/usr/src/linux-headers-$kver
	[ -f "$kdir/Makefile" ] || die "$kdir has no Makefile: reinstall linux-headers-$kver"
	package=linux-image-$kver
	dir=$cache/kernel-${package}_${version/:/%3a}
}

# Downloads and unpacks; on failure the reason is in $work/log.
fetch()
{
	mkdir -p "$work/deb" "$work/root"
	# As root, apt would hand the download to its own user, who may not write
	# here, and warn about it.
	(cd "$work/deb" && apt-get -q -o APT::Sandbox::User=root -o Acquire::Retries=3 \
		download "$package=$version") >"$work/log" 2>&1 </dev/null || return 1
	dpkg -x "$work"/deb/*.deb "$work/root" >>"$work/log" 2>&1 || return 1
	"$here/lay_out.sh" "$work/root" "$work" "$kver" >>"$work/log" 2>&1 || return 1
	rm -rf "$work/deb" "$work/root"
}

# What apt would install for package $1; empty: it knows none.
candidate()
{
	apt-cache policy "$1" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# The one package that $1 depends on and whose name matches $2.
dependency()
{
	apt-cache depends "$1" | sed -n "s/^ *Depends: \($2\)$/\1/p" | head -n 1
}

# Image and headers of another series into $dir.
find_series()
{
	local one headers

	headers=$(dependency "linux-headers-$1-cloud-amd64" 'linux-headers-[0-9].*')
	[ -n "$headers" ] || {
		echo "kernel: apt knows no package linux-headers-$1-cloud-amd64" >&2
		exit 77
	}
	kver=${headers#linux-headers-}
	package=linux-image-$kver
	version=$(candidate "$package")
	[ -n "$version" ] || die "apt knows $headers, but no $package"
	dir=$cache/kernel-with-headers-${package}_${version/:/%3a}
	kdir=$dir/usr/src/$headers
	[ ! -d "$dir" ] || return 0
	echo "kernel: fetching $package $version and its headers (not installed, only unpacked)" >&2
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/deb" "$work/root"
	for one in "$package" "$headers" "$(dependency "$headers" 'linux-headers-.*-common')" \
		"$(dependency "$headers" 'linux-kbuild-.*')"; do
		(cd "$work/deb" && apt-get -q -o APT::Sandbox::User=root -o Acquire::Retries=3 \
			download "$one") >"$work/log" 2>&1 </dev/null ||
			{ tail -n 10 "$work/log" >&2; die "cannot fetch $one"; }
	done
	for one in "$work"/deb/*.deb; do
		dpkg -x "$one" "$work/root"
	done
	# They say where they would be if they were installed. Their vmlinux is for type
	# information in modules only, and wants a tool.
	sed -i "s|^include /usr/src|include $dir/usr/src|" "$work/root/usr/src/$headers/Makefile"
	rm -f "$work/root/usr/src/$headers/vmlinux"
	find "$work/root/lib/modules" -name 'virtio*.ko.xz' -exec unxz {} +
	chmod 755 "$work/root"
	mv -T "$work/root" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
}

if [ -n "${KUTRACE_KERNEL-}" ]; then
	find_series "$KUTRACE_KERNEL"
else
	find_headers
fi
if [ ! -d "$dir" ]; then
	echo "kernel: fetching $package $version (not installed, only unpacked)" >&2
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	if ! fetch; then
		# Headers installed a while ago may no longer be on offer: refresh both.
		tail -n 3 "$work/log" >&2
		echo "kernel: $package $version cannot be had; trying the newest" >&2
		as_root=
		[ "$(id -u)" = 0 ] || as_root=sudo
		$as_root apt-get -q -y update >"$work/log" 2>&1 </dev/null &&
			$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install \
				--no-install-recommends "$meta" >>"$work/log" 2>&1 </dev/null ||
			{ tail -n 10 "$work/log" >&2; die "cannot bring $meta up to date"; }
		find_headers
		rm -rf "${work:?}"/*
		fetch || { tail -n 10 "$work/log" >&2; die "cannot fetch $package $version"; }
	fi
	chmod 755 "$work"
	rm -f "$work/log"
	# Somebody else may have been quicker; theirs is as good.
	mv -T "$work" "$dir" 2>/dev/null || [ -d "$dir" ] || die "cannot create $dir"
fi
printf "KVER='%s'\nKDIR='%s'\nKERNEL_DIR='%s'\nVMLINUZ='%s'\nMODULES='%s'\n" \
	"$kver" "$kdir" "$dir" "$dir/boot/vmlinuz-$kver" "$dir/lib/modules/$kver"
