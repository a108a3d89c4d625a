#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the packages in a minimal root folder of a Debian release: builds them there from the source
# archive, checks them with lintian, installs them with apt, builds the module for that release's
# headers, runs the tools, then upgrades, removes and purges the packages. Nothing may be left.
# `make check-packages` runs it. Needs root and debootstrap, and takes ten minutes or more. Must
# change nothing outside its root folders, which are in $TMPDIR or /var/tmp and are removed at the
# end.
#
#	tests/packages/root.sh bookworm|trixie
#
# apt in the root folders uses the mirrors of this machine's apt. Prints TAP.
set -u
. tests/tap.sh
tap_begin
suite=${1:?release of Debian}
version=$(sed -n 's/^VERSION := //p' Makefile)
build=$(realpath "${BUILD:-build}")

if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP not root'
	exit 77
fi
. tests/packages/bare.inc
make --no-print-directory dist >&2 || exit 1
work=$(mktemp -d "${TMPDIR:-/var/tmp}/kutrace-root.XXXXXX")
trap 'rm -rf "$work" "$TAP_TMP"' EXIT
trap 'exit 130' INT TERM

if ! bare_make "$suite" "$work/base"; then
	fail "debootstrap makes a root folder of $suite" "debootstrap failed"
	tap_end
fi
pass "debootstrap makes a root folder of $suite"

# inside ROOT COMMAND
inside()
{
	local root=$work/$1
	shift
	bare_in "$root" "$@"
}
# done_well WHAT ROOT COMMAND
done_well()
{
	local what=$1
	shift
	if inside "$@" >"$TAP_TMP/said" 2>&1; then
		pass "$what"
	else
		fail "$what" "exit status $?"
		tail -n 25 "$TAP_TMP/said" | sed 's/^/#   /' >&2
	fi
}
apt=$bare_apt

# --- built ---
cp -a "$work/base" "$work/build"
cp "$build/dist/kutrace-$version.tar.xz" "$work/build/root/"
inside build "$apt update && $apt install lintian" >"$TAP_TMP/said" 2>&1 || tail -n 5 "$TAP_TMP/said" >&2
# Installs only the packages that make deb needs.
done_well "apt installs the build dependencies" build "$apt install $(tests/deps.sh --list package | tr '\n' ' ') &&
	cd /root && tar -xf kutrace-*.tar.xz && cd kutrace-$version && cp -R control/dist/debian debian && dpkg-checkbuilddeps"
done_well "the packages are built, and their tests pass" build "cd /root/kutrace-$version && dpkg-buildpackage -us -uc -b"
inside build "cd /root && lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs *.changes" >"$TAP_TMP/said" 2>&1
is "lintian finds no error and no warning" "$(grep '^[EW]:' "$TAP_TMP/said")" ""
# The next version, for the upgrade, differs only in its number.
done_well "the next version is built" build "cd /root && mkdir next && cd kutrace-$version && sed -i '1s/($version)/($version+next)/' debian/changelog &&
	DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b -nc && mv ../*+next*.deb ../next/"

# --- what demo, check and the rest install: no kernel ---
inside build "apt-get -q -s install --no-install-recommends $(tests/deps.sh --list all package system | tr '\n' ' ') nodejs npm" >"$TAP_TMP/wants" 2>&1
between "packages that all groups install" "$(grep -c '^Inst ' "$TAP_TMP/wants")" 100 5000
is "no kernel is among the packages that demo, check and the others install" "$(grep -E '^Inst linux-(image|headers|kbuild|modules|binary)' "$TAP_TMP/wants")" ""

# --- installed ---
cp -a "$work/base" "$work/use"
mkdir "$work/use/root/one" "$work/use/root/next"
cp "$work"/build/root/*.deb "$work/use/root/one/"
cp "$work"/build/root/next/*.deb "$work/use/root/next/"
cp "$build/dist/kutrace-$version.tar.xz" "$work/use/root/"
rm -f "$work"/use/root/*/*dbgsym*
# Install their dependencies first, so that files left after the removal can only be theirs.
inside use "$apt update && $apt install dkms linux-headers-cloud-amd64 gcc libc6-dev pkgconf xz-utils systemd bash-completion \
	libbabeltrace2-0 libdeflate0 libdw1 libprotobuf-c1 libsqlite3-0 libzstd1 zlib1g" >"$TAP_TMP/said" 2>&1 || tail -n 5 "$TAP_TMP/said" >&2
files()
{
	(cd "$work/use" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./tmp -o -path ./root -o -path ./var/lib/dpkg \
		-o -path ./var/cache -o -path ./var/log -o -path ./run \) -prune -o -print | sort)
}
files >"$TAP_TMP/before"
done_well "apt installs the packages" use "$apt install /root/one/*.deb"
release=$(inside use "ls -d /lib/modules/*/build | head -n 1 | cut -d/ -f4")
is "the module is built for $release" "$(inside use "dkms status kutrace")" "kutrace/$version, $release, x86_64: installed"
like "the module's source has no files that only make needs" "$(ls "$work/use/usr/src/kutrace-$version" | tr '\n' ' ')" '^Kbuild arch '
is "the module is for that kernel" "$(inside use "modinfo -k $release -F vermagic kutrace" | cut -d ' ' -f1)" "$release"
done_well "the tools pass the tests of the source archive" use "cd /root && tar -xf kutrace-*.tar.xz && cd kutrace-$version &&
	for t in control/dist/debian/tests/filters control/dist/debian/tests/library; do
		export AUTOPKGTEST_TMP=\$(mktemp -d); \$t || exit 1; done"
like "kutrace_control names the missing module" "$(inside use "kutrace_control status" 2>&1)" 'module'
like "the group exists" "$(inside use "getent group tracing")" '^tracing:'
is "no service is enabled" "$(inside use "systemctl is-enabled kutrace-recorder kutrace-receive.socket" | sort -u)" disabled
like "the manual pages are installed" "$(ls "$work/use/usr/share/man/man1/" 2>/dev/null | tr '\n' ' '; cat "$work/use/etc/dpkg/dpkg.cfg.d/"* 2>/dev/null | grep -c man)" 'kutrace_control|[1-9]'

# --- upgraded, removed, purged ---
is "the tools of kutrace-interop" "$(inside use "dpkg -L kutrace-interop" | grep '/bin/' | sort | tr '\n' ' ')" "/usr/bin/ctftoevent /usr/bin/perfettotoevent "
is "kutrace alone needs neither of their libraries" "$(inside use "dpkg -s kutrace" | grep -E '^Depends:.*(babeltrace|protobuf)')" ""
done_well "apt upgrades the packages" use "$apt install /root/next/*.deb"
like "DKMS has upgraded the module" "$(inside use "dkms status kutrace")" ": installed"
is "only one version of the module is left" "$(inside use "dkms status kutrace" | wc -l)" 1
done_well "apt removes the packages" use "$apt remove kutrace kutrace-interop kutrace-dkms kutrace-doc libkutrace1 libkutrace-dev"
is "no module is left" "$(inside use "dkms status kutrace; find /lib/modules -name 'kutrace*'")" ""
# apt does not purge a removed package of which nothing is left; dpkg does.
done_well "dpkg purges the packages" use "dpkg --purge kutrace kutrace-interop kutrace-dkms kutrace-doc libkutrace1 libkutrace-dev"
files >"$TAP_TMP/after"
# Files that depmod writes for a kernel, and the key that DKMS makes for itself, belong to no package.
is "no file is left" "$(comm -13 "$TAP_TMP/before" "$TAP_TMP/after" |
	grep -v '^./etc/\(group\|gshadow\|passwd\|shadow\)-\?$\|/lib/modules/[^/]*/modules\.[a-z.]*$\|^./var/lib/dkms/mok\.[a-z]*$')" ""
is "no other file was removed" "$(comm -23 "$TAP_TMP/before" "$TAP_TMP/after")" ""
tap_end
