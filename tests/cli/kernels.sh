#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Where the guests' kernels come from on another Debian than the one at hand: packages
# laid out as Debian 12 and as Debian 13 does it, and the source of a kernel that only an
# older release has. apt is played here; nothing is fetched.
. tests/tap.sh
tap_begin

# --- lay_out.sh: image and modules wherever the package has them ---
kver=6.99.1+x-cloud-amd64
package()	# NAME MODULES IMAGE: an unpacked package
{
	mkdir -p "$TAP_TMP/$1/$2/kernel/fs/fuse" "$TAP_TMP/$1/$(dirname "$3")"
	echo image >"$TAP_TMP/$1/$3"
	echo fuse >"$TAP_TMP/$1/$2/kernel/fs/fuse/fuse.ko"
}
laid_out()	# NAME
{
	mkdir -p "$TAP_TMP/$1.out"
	exits "$1: exit status" 0 tests/guest/lay_out.sh "$TAP_TMP/$1" "$TAP_TMP/$1.out" $kver
	is "$1: the image" "$(cat "$TAP_TMP/$1.out/boot/vmlinuz-$kver")" image
	is "$1: a module, not compressed" \
		"$(cat "$TAP_TMP/$1.out/lib/modules/$kver/kernel/fs/fuse/fuse.ko")" fuse
}
package plain lib/modules/$kver boot/vmlinuz-$kver
laid_out plain
package usr usr/lib/modules/$kver boot/vmlinuz-$kver
laid_out usr
for program in xz gzip; do
	package $program usr/lib/modules/$kver boot/vmlinuz-$kver
	$program "$TAP_TMP/$program/usr/lib/modules/$kver/kernel/fs/fuse/fuse.ko"
	laid_out $program
done
package beside usr/lib/modules/$kver usr/lib/modules/$kver/vmlinuz
laid_out beside

refused()	# NAME REGEX
{
	mkdir -p "$TAP_TMP/$1.out"
	_status=0
	tests/guest/lay_out.sh "$TAP_TMP/$1" "$TAP_TMP/$1.out" $kver 2>"$TAP_TMP/$1.err" || _status=$?
	is "$1: exit status" $_status 1
	like "$1: says why" "$(cat "$TAP_TMP/$1.err")" "$2"
}
package no-image lib/modules/$kver boot/vmlinuz-other
refused no-image "no vmlinuz-6.99.1"
package no-modules lib/modules/other boot/vmlinuz-$kver
refused no-modules "no modules of 6.99.1"
package cut lib/modules/$kver boot/vmlinuz-$kver
rm "$TAP_TMP/cut/lib/modules/$kver/kernel/fs/fuse/fuse.ko"
echo 'no compressed file' >"$TAP_TMP/cut/lib/modules/$kver/kernel/fs/fuse/fuse.ko.xz"
refused cut '^xz: '

# --- kernel_source: this release's package, or an older one's ---
mkdir "$TAP_TMP/bin"
own=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The machine's apt knows linux-source-6.12 only, and takes an unknown name for a pattern,
# as apt does; with other lists it knows linux-source-6.1.
cat >"$TAP_TMP/bin/apt-cache" <<'END'
#!/bin/sh
case "$*" in
*Dir::Etc::SourceList=*"policy linux-source-6.1") printf 'linux-source-6.1:\n  Installed: (none)\n  Candidate: 6.1.7-1\n' ;;
*"policy linux-source-6.1"*) printf 'linux-source-6.12:\n  Installed: (none)\n  Candidate: 6.12.9-1\n' ;;
esac
END
cat >"$TAP_TMP/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$TAP_TMP/asked"
case "\$*" in
*indextargets*)
	echo 'Debian|http://mirror.invalid/debian/|$own|main'
	echo 'Debian|http://mirror.invalid/debian/|$own-updates|main'
	echo '\$(ORIGIN)|http://mirror.invalid/security/|stable-security|main'
	echo 'Somebody|http://other.invalid/|$own|main'
	echo 'Debian|http://other.invalid/|nodistro|main'
	;;
*update*) [ ! -f "$TAP_TMP/offline" ] ;;
*"download linux-source-"*) : >"\$(echo "\${*##* }" | tr = _).deb" ;;
*) exit 1 ;;
esac
END
cat >"$TAP_TMP/bin/dpkg" <<'END'
#!/bin/sh
name=$(basename "$2" .deb)
mkdir -p "$3/usr/src" tree/top
echo "$name" >tree/top/Makefile
tar -cJf "$3/usr/src/${name%_*}.tar.xz" -C tree top
rm -r tree
END
chmod +x "$TAP_TMP"/bin/*
sources()	# KVER: in a shell of its own, version and what the source holds
{
	PATH=$TAP_TMP/bin:$PATH XDG_CACHE_HOME=$TAP_TMP/cache bash -c '
		set -euo pipefail
		die() { echo "kernel: $*" >&2; exit 1; }
		here=kernel-patches kver=$1
		. kernel-patches/lib.sh
		cd "$2"
		kernel_source
		echo "$version $(cat "$source/Makefile")"' sh "$1" "$TAP_TMP" 2>"$TAP_TMP/err"
}
is "this release's own source" "$(sources 6.12)" "6.12.9-1 linux-source-6.12_6.12.9-1"
unlike "for that nobody asks elsewhere" "$(cat "$TAP_TMP/asked")" 'update|indextargets'
is "an older release's source" "$(sources 6.1)" "6.1.7-1 linux-source-6.1_6.1.7-1"
is "asked where this machine gets its own, with Debian's key" \
	"$(cut -d' ' -f1,3- "$TAP_TMP"/cache/kutrace/apt-bookworm-*/sources.list | tr '\n' '|')" \
	"deb http://mirror.invalid/debian/ bookworm main|deb http://mirror.invalid/debian/ bookworm-updates main|deb http://mirror.invalid/security/ bookworm-security main|"
is "a second time that day, nothing is read or fetched again" \
	"$(: >"$TAP_TMP/asked"; sources 6.1; cat "$TAP_TMP/asked")" "6.1.7-1 linux-source-6.1_6.1.7-1"
rm -rf "$TAP_TMP/cache"
: >"$TAP_TMP/offline"
sources 6.1 >/dev/null
is "it cannot be asked: exit status" $? 1
like "it cannot be asked: says so" "$(cat "$TAP_TMP/err")" 'Debian bookworm cannot be had'
is "it cannot be asked: nothing is left" "$(ls -A "$TAP_TMP/cache/kutrace")" ""

# --- deps.sh: no package that one release alone has ---
is "packages whose name holds a release's version" \
	"$(tests/deps.sh --list all | grep -E '(^|-)[0-9]+(\.[0-9]+)*(-|$)')" ""
tap_end
