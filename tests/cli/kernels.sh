#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ci
#
# Tests the scripts that get kernels for guests, as on any Debian release. Covers the layouts of
# packages in Debian 12 and 13, the source of a kernel that only an older release has, and kernels by
# name. A script replaces apt, so nothing is downloaded.
. tests/tap.sh
tap_begin

# --- lay_out.sh: finds image and modules in any layout of the package ---
kver=6.99.1+x-cloud-amd64
package()	# NAME MODULES IMAGE: makes an unpacked package
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
	like "$1: the message names the reason" "$(cat "$TAP_TMP/$1.err")" "$2"
}
package no-image lib/modules/$kver boot/vmlinuz-other
refused no-image "no vmlinuz-6.99.1"
package no-modules lib/modules/other boot/vmlinuz-$kver
refused no-modules "no modules of 6.99.1"
package cut lib/modules/$kver boot/vmlinuz-$kver
rm "$TAP_TMP/cut/lib/modules/$kver/kernel/fs/fuse/fuse.ko"
echo 'no compressed file' >"$TAP_TMP/cut/lib/modules/$kver/kernel/fs/fuse/fuse.ko.xz"
refused cut '^xz: '

# --- kernel_source: from this release's package, or an older one's ---
mkdir "$TAP_TMP/bin"
own=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The lists of this replaced apt have only linux-source-6.12. Like the real apt, it treats an unknown name as a pattern.
# With the lists of another release, it has linux-source-6.1.
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
*--print-uris*"download linux-"*) all=\$*; printf "'http://mirror.invalid/%s' a.deb 1500000 SHA256:0\n" \${all##* download} ;;
*"download linux-source-"*) : >"\$(echo "\${*##* }" | tr = _).deb" ;;
*) exit 1 ;;
esac
END
cat >"$TAP_TMP/bin/dpkg" <<'END'
#!/bin/sh
[ "$1" != --print-architecture ] || { echo amd64; exit; }
name=$(basename "$2" .deb)
mkdir -p "$3/usr/src" tree/top
echo "$name" >tree/top/Makefile
tar -cJf "$3/usr/src/${name%_*}.tar.xz" -C tree top
rm -r tree
END
chmod +x "$TAP_TMP"/bin/*
sources()	# KVER: prints the version and the content of the source, in a subshell
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
unlike "this release's own source needs no other list" "$(cat "$TAP_TMP/asked")" 'update|indextargets'
is "an older release's source" "$(sources 6.1)" "6.1.7-1 linux-source-6.1_6.1.7-1"
is "the lists come from this machine's mirror, with Debian's key" \
	"$(cut -d' ' -f1,3- "$TAP_TMP"/cache/kutrace/apt-bookworm-*/sources.list | tr '\n' '|')" \
	"deb http://mirror.invalid/debian/ bookworm main|deb http://mirror.invalid/debian/ bookworm-updates main|deb http://mirror.invalid/security/ bookworm-security main|"
is "a second time that day, nothing is read or fetched again" \
	"$(: >"$TAP_TMP/asked"; sources 6.1; cat "$TAP_TMP/asked")" "6.1.7-1 linux-source-6.1_6.1.7-1"
rm -rf "$TAP_TMP/cache"
: >"$TAP_TMP/offline"
sources 6.1 >/dev/null
is "without a network: exit status" $? 1
like "without a network: message" "$(cat "$TAP_TMP/err")" 'cannot read the package lists of Debian bookworm'
is "without a network: no file is left" "$(ls -A "$TAP_TMP/cache/kutrace")" ""

# --- kernel.sh: a kernel by its name, from this release or another one ---
# The replaced apt has 6.12 in all flavours, an older version, a package without a kernel, and headers of 6.12.14, whose
# signed image is not in the archive yet. Release unstable has 7.2, whose image is split and whose headers contain the
# name of their folder.
rm -f "$TAP_TMP/offline"
cat >"$TAP_TMP/bin/apt-cache" <<'END'
#!/bin/sh
case "$*" in
*SourceList*apt-sid*"pkgnames linux-headers-7.2") echo linux-headers-7.2.1+y-cloud-amd64 ;;
*SourceList*apt-$(. /etc/os-release && echo "$VERSION_CODENAME")-[0-9]*"pkgnames linux-headers-6.12") echo linux-headers-6.12.12+x-cloud-amd64 ;;
*SourceList*) case "$*" in
	*depends*linux-image-7.2.1*) printf 'x\n |Depends: linux-binary-7.2.1+y\n  Depends: linux-binary-7.2.1+y-unsigned\n  Depends: linux-modules-7.2.1+y\n  Depends: linux-base\n  Depends: kmod\n' ;;
	*depends*linux-headers-7.2.1*cloud*) printf 'x\n  Depends: linux-headers-7.2.1+y-common\n  Depends: gcc-99\n' ;;
	*policy*) printf '%s:\n  Candidate: 7.2.1-1\n' "${*##* }" ;;
	esac ;;
*"depends linux-headers-cloud-amd64") printf 'x\n  Depends: linux-headers-%s\n' "$(cat "$KERNELS_OWN")" ;;
*"pkgnames linux-headers-6.12") printf 'linux-headers-6.12%s\n' -cloud-amd64 .9+x-cloud-amd64 .11+x-cloud-amd64 .12+x-amd64 .11+x-rt-amd64 .11+x-common .13+x-arm64 .13+x-cloud-arm64 .14+x-cloud-amd64 ;;
*"policy linux-image-6.12.14+x-cloud-amd64"*) ;;
*policy*) printf '%s:\n  Candidate: 6.12-1\n' "${*##* }" ;;
esac
END
# The replaced packages are plain tar files. Each has the parts of a kernel that belong to its name.
cat >"$TAP_TMP/bin/dpkg-deb" <<'END'
#!/bin/sh
cat "$2"
END
sed -i "s/^\*\"download linux-source-\"\*.*/&\n*\" download \"*) download \"\$@\" ;;/; 2i . '$TAP_TMP/download'" \
	"$TAP_TMP/bin/apt-get"
cat >"$TAP_TMP/download" <<'END'
download()
{
	while [ "$1" != download ]; do shift; done
	shift
	for package; do
		kver=${package#linux-*-}
		! grep -qx -- "$kver" ../../../../gone 2>/dev/null || return 1
		mkdir tree
		case $package in
		linux-image-6*)
			mkdir -p tree/boot tree/lib/modules/$kver/kernel
			: >tree/boot/vmlinuz-$kver
			: >tree/lib/modules/$kver/kernel/virtio.ko ;;
		linux-binary-*)
			mkdir -p tree/usr/lib/modules/$kver-cloud-amd64
			: >tree/usr/lib/modules/$kver-cloud-amd64/vmlinuz ;;
		linux-modules-*)
			mkdir -p tree/usr/lib/modules/$kver-cloud-amd64/kernel
			: >virtio_blk.ko && : >other.ko
			xz virtio_blk.ko other.ko
			mv virtio_blk.ko.xz other.ko.xz tree/usr/lib/modules/$kver-cloud-amd64/kernel/ ;;
		linux-headers-*)
			mkdir -p tree/usr/src/$package tree/usr/lib/linux-kbuild-$kver
			printf 'KBUILD_OUTPUT=/usr/src/a\ninclude /usr/src/b\n' >tree/usr/src/$package/Makefile ;;
		esac
		tar -cf "$(echo "$package" | tr = _).deb" -C tree .
		rm -r tree
	done
}
END
chmod +x "$TAP_TMP"/bin/*
named()	# NAME
{
	PATH=$TAP_TMP/bin:$PATH XDG_CACHE_HOME=$TAP_TMP/cache tests/guest/kernel.sh "$1" 2>"$TAP_TMP/err"
}
kver_of()	# NAME
{
	named "$1" | sed -n "s/^KVER='\(.*\)'/\1/p"
}
is "the newest of a series that has an image, in its cloud flavour" "$(kver_of stock-6.12)" 6.12.11+x-cloud-amd64
is "the newest of a series, in its generic flavour" "$(kver_of stock-6.12-generic)" 6.12.12+x-amd64
is "the newest of a series, in its rt flavour" "$(kver_of stock-6.12-rt)" 6.12.11+x-rt-amd64
is "the series alone" "$(kver_of 6.12)" 6.12.11+x-cloud-amd64
named stock-7.2 >"$TAP_TMP/vars"
dir=$TAP_TMP/cache/kutrace/kernel-and-headers-linux-image-7.2.1+y-cloud-amd64_7.2.1-1
is "of another release: which" "$(cat "$TAP_TMP/err" | tail -n 2 | head -n 1)" \
	"kernel: looking for Linux 7.2, cloud, in Debian sid"
like "of another release: the packages and their size" "$(tail -n 1 "$TAP_TMP/err")" \
	'^kernel: fetching linux-image-7\.2\.1\+y-cloud-amd64 7\.2\.1-1 and its headers: 5 packages, 7\.5 MB to download '
is "of another release: the variables have the release" "$(grep ^KSUITE "$TAP_TMP/vars")" "KSUITE='sid'"
is "an image in several packages; the modules that guests load are not compressed" \
	"$(cd "$dir" && find boot lib -type f | sort | tr '\n' ' ')" \
	"boot/vmlinuz-7.2.1+y-cloud-amd64 lib/modules/7.2.1+y-cloud-amd64/kernel/other.ko.xz lib/modules/7.2.1+y-cloud-amd64/kernel/virtio_blk.ko lib/modules/7.2.1+y-cloud-amd64/vmlinuz "
is "the headers contain the name of their folder" \
	"$(tr '\n' ' ' <"$dir/usr/src/linux-headers-7.2.1+y-cloud-amd64/Makefile")" \
	"KBUILD_OUTPUT=$dir/usr/src/a include $dir/usr/src/b "
: >"$TAP_TMP/asked"
named stock-7.2 >/dev/null
unlike "a second time nothing is fetched" "$(cat "$TAP_TMP/asked")" download
named stock-9.9 >/dev/null
is "an unknown series: exit status" $? 77
like "an unknown series: the message lists the searched releases" "$(cat "$TAP_TMP/err")" 'cannot find Linux 9.9, flavour cloud, .* sid forky'
for name in stock-x stock-6.12-small stock-6; do
	named $name >/dev/null
	is "$name is no name: exit status" $? 2
done
# The distribution's own kernel is not installed, and dpkg does not list it.
export KERNELS_OWN="$TAP_TMP/own"
echo 6.12.11+x-cloud-amd64 >"$KERNELS_OWN"
named stock >"$TAP_TMP/vars"
is "the distribution's own kernel: exit status" $? 0
dir=$TAP_TMP/cache/kutrace/kernel-and-headers-linux-image-6.12.11+x-cloud-amd64_6.12-1
is "the distribution's own kernel: its headers are unpacked beside it" "$(grep ^KDIR "$TAP_TMP/vars")" "KDIR='$dir/usr/src/linux-headers-6.12.11+x-cloud-amd64'"
is "the distribution's own kernel belongs to this release" "$(grep ^KSUITE "$TAP_TMP/vars")" "KSUITE=''"
unlike "nothing is installed" "$(cat "$TAP_TMP/asked")" ' install '
# The mirror no longer has the version in this machine's lists. Updated lists have the next version.
echo 6.12.11+x-cloud-amd64 >"$TAP_TMP/gone"
rm -rf "$dir" "$TAP_TMP/cache/kutrace"/apt-*
is "a version that is no longer offered" "$(kver_of stock)" 6.12.12+x-cloud-amd64
rm -f "$TAP_TMP/gone"
rm -rf "$TAP_TMP/cache/kutrace"/apt-*
: >"$TAP_TMP/offline"
: >"$KERNELS_OWN"
is "without lists of packages the newest that was fetched" "$(kver_of stock)" 7.2.1+y-cloud-amd64
is "without network it is the one that was fetched" "$(kver_of stock-7.2)" 7.2.1+y-cloud-amd64

# --- deps.sh: no package that only one release has, and no kernel ---
is "packages whose name holds a release's version" \
	"$(tests/deps.sh --list all | grep -E '(^|-)[0-9]+(\.[0-9]+)*(-|$)')" ""
groups=$(sed -n 's/.*deps\.sh \[--list\] {\(.*\)}.*/\1/p' tests/deps.sh | tr '|' ' ')
like "the groups" " $groups " ' module .* package .* all '
# shellcheck disable=SC2086 # names of groups
is "packages of a kernel" "$(tests/deps.sh --list $groups | grep -E '^linux-(image|headers|kbuild|modules|binary)')" ""
# Lists what apt would install with these packages on an empty machine.
. kernel-patches/apt.sh
: >"$TAP_TMP/status"
# shellcheck disable=SC2034 # apt_wants uses it
apt_options=(-o Dir::State::Status="$TAP_TMP/status" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
# shellcheck disable=SC2046,SC2086 # names of packages
if apt_wants $(tests/deps.sh --list $groups) >"$TAP_TMP/wants" 2>"$TAP_TMP/err"; then
	between "a bare machine would install" "$(wc -l <"$TAP_TMP/wants")" 100 5000
	is "kernels among that" "$(grep -E '^linux-(image|headers|kbuild|modules|binary)' "$TAP_TMP/wants")" ""
else
	skip "a bare machine would install" "this machine's apt cannot say: $(tail -n 1 "$TAP_TMP/err")"
fi
tap_end
