#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the packages in minimal root folders of a Debian release: `make deb` there with only git and
# make installed, lintian, `make install` with a program that makes marks. Then apt upgrades the
# packages of an earlier commit, installs Debian's makeself beside ours, builds the module for that
# release's headers, runs the tools, upgrades, removes and purges the packages. Nothing may be left.
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
# The last commit whose package kutrace had all programs in /usr/bin.
earlier=53a80976

if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP not root'
	exit 77
fi
. tests/packages/bare.inc
make --no-print-directory template >&2 || exit 1
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
# A checkout of the present files, with the page, because building it is not the subject here.
cp -a "$work/base" "$work/build"
git ls-files --cached --others --exclude-standard -z | while IFS= read -r -d '' file; do
	[ ! -f "$file" ] || printf '%s\0' "$file"
done | tar --null -T - -cf - | tar -C "$work/build/root" --one-top-level=kutrace -xf -
mkdir -p "$work/build/root/kutrace/templates/built"
cp "$build/templates/show_cpu.html" "$work/build/root/kutrace/templates/built/"
inside build "$apt update && $apt install git make" >"$TAP_TMP/said" 2>&1 || tail -n 5 "$TAP_TMP/said" >&2
done_well "make deb installs what it needs, builds the packages, and their tests pass" build "cd /root/kutrace && git init -q &&
	git add -f -A && git -c user.name=t -c user.email=t@example.org commit -q -m t && make deb && mv build/deb ../new"
is "the packages" "$(cd "$work/build/root/new" && ls *.deb | sed 's/_.*//' | grep -v dbgsym | LC_ALL=C sort | tr '\n' ' ')" \
	"kutrace kutrace-dkms kutrace-doc kutrace-interop libkutrace-dev libkutrace1 "
inside build "$apt install lintian pkgconf" >"$TAP_TMP/said" 2>&1 || tail -n 5 "$TAP_TMP/said" >&2
inside build "cd /root/new && lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs *.changes" >"$TAP_TMP/said" 2>&1
is "lintian finds no error and no warning" "$(grep '^[EW]:' "$TAP_TMP/said")" ""

# --- make install, and a program that makes marks ---
cat >"$work/build/root/m.c" <<'END'
#include <libkutrace.h>
int main(void) { kutrace_mark_a("load"); kutrace_mark_a("/load"); return 0; }
END
inside build "find /usr/local ! -type d" >"$TAP_TMP/local"
done_well "make install into /usr/local" build "cd /root/new/kutrace-$version && make install"
done_well "a program with marks is compiled by pkg-config" build 'cd /root && gcc m.c $(pkg-config --cflags --libs libkutrace) -o m'
done_well "it starts" build /root/m
is "with the library in /usr/local" "$(inside build "ldd /root/m" | grep -c '=> /usr/local/lib/libkutrace.so.1')" 1
done_well "rawtohtml and kutrace_control start" build "/usr/local/bin/rawtohtml --version && /usr/local/bin/kutrace_control --version"
done_well "make uninstall" build "cd /root/new/kutrace-$version && make uninstall"
is "no file is left in /usr/local" "$(inside build "find /usr/local ! -type d")" "$(cat "$TAP_TMP/local")"
is "the list of the loader no longer has the library" "$(inside build "/sbin/ldconfig -p | grep kutrace")" ""

# The next version, for the upgrade, differs only in its number.
done_well "the next version is built" build "cd /root && mkdir next && cd new/kutrace-$version && sed -i '1s/($version)/($version+next)/' debian/changelog &&
	DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b -nc && mv ../*+next*.deb ../../next/"
# The packages of the earlier commit have a smaller number.
mkdir "$work/build/root/old"
if git cat-file -e "$earlier^{commit}" 2>/dev/null; then
	git archive --prefix="kutrace-$version/" "$earlier" | tar -C "$work/build/root/old" -xf -
	cp -R "$work/build/root/kutrace/templates/built" "$work/build/root/old/kutrace-$version/templates/"
	done_well "the packages of $earlier are built" build "cd /root/old/kutrace-$version && cp -R control/dist/debian debian &&
		sed -i '1s/($version)/($version~old)/' debian/changelog && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b"
fi

# --- what check and the rest install: no kernel, no systemd ---
# Run deps.sh in the root folder: the packages that it lists depend on those that are installed there.
cp tests/deps.sh tests/progress.inc "$work/build/root/"
inside build "apt-get -q -s install --no-install-recommends \$(/root/deps.sh --list all package system demo play)" >"$TAP_TMP/wants" 2>&1
between "packages that all groups install" "$(grep -c '^Inst ' "$TAP_TMP/wants")" 100 5000
is "no kernel, initramfs, systemd or udev is among the packages that demo, check and the others install" \
	"$(grep -E '^Inst (linux-(image|headers|kbuild|modules|binary|base)|initramfs-tools|dracut|systemd|udev)([ -]|$)' "$TAP_TMP/wants" |
		grep -v '^Inst systemd-standalone-sysusers ')" ""

# --- installed ---
cp -a "$work/base" "$work/use"
mkdir "$work/use/root/one" "$work/use/root/old"
cp "$work"/build/root/new/*.deb "$work/use/root/one/"
cp "$work"/build/root/old/*.deb "$work/use/root/old/" 2>/dev/null
cp -R "$work/build/root/next" "$work/use/root/"
cp "$work/build/root/kutrace/build/dist/kutrace-$version.tar.xz" "$work/use/root/"
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
if ls "$work"/use/root/old/*.deb >/dev/null 2>&1; then
	done_well "apt installs the packages of $earlier" use "$apt install /root/old/*.deb"
	is "in them, /usr/bin/makeself is ours" "$(inside use "dpkg -S /usr/bin/makeself")" "kutrace: /usr/bin/makeself"
else
	skip "upgrade from $earlier" "this is no checkout with that commit"
fi
done_well "apt installs the packages" use "$apt install /root/one/*.deb"
is "the packages have this version" "$(inside use "dpkg-query -W -f '\${Version}\n' kutrace kutrace-interop kutrace-dkms libkutrace1" | sort -u)" "$version"
is "programs of ours in /usr/bin" "$(inside use "dpkg -L kutrace kutrace-interop | grep ^/usr/bin/ | grep -v ^/usr/bin/kutrace")" ""
done_well "apt installs Debian's makeself after our packages" use "$apt install makeself"
release=$(inside use "ls -d /lib/modules/*/build | head -n 1 | cut -d/ -f4")
is "the module is built for $release" "$(inside use "dkms status kutrace")" "kutrace/$version, $release, x86_64: installed"
like "the module's source has no files that only make needs" "$(ls "$work/use/usr/src/kutrace-$version" | tr '\n' ' ')" '^Kbuild arch '
is "the module is for that kernel" "$(inside use "modinfo -k $release -F vermagic kutrace" | cut -d ' ' -f1)" "$release"
done_well "the tools pass the tests of the source archive" use "cd /root && tar -xf kutrace-*.tar.xz && cd kutrace-$version &&
	for t in control/dist/debian/tests/filters control/dist/debian/tests/interop control/dist/debian/tests/library; do
		export AUTOPKGTEST_TMP=\$(mktemp -d); \$t || exit 1; done"
like "kutrace_control names the missing module" "$(inside use "kutrace_control status" 2>&1)" 'module'
# This machine's kernel is not of the root's release, so a package of its headers exists there only by chance.
proposed=$(inside use "kutrace_control doctor" | grep -v 'apt-get update' | grep -o 'linux-headers-[^ ]*')
is "doctor proposes no package of headers that apt does not know: ${proposed:-none}" \
	"$([ -z "$proposed" ] || inside use "apt-cache show $proposed >/dev/null" 2>&1)" ""
like "the group exists" "$(inside use "getent group tracing")" '^tracing:'
is "no service is enabled" "$(inside use "systemctl is-enabled kutrace-recorder kutrace-receive.socket" | sort -u)" disabled
like "the manual pages are installed" "$(ls "$work/use/usr/share/man/man1/" 2>/dev/null | tr '\n' ' '; cat "$work/use/etc/dpkg/dpkg.cfg.d/"* 2>/dev/null | grep -c man)" 'kutrace_control|[1-9]'

# --- beside Debian's makeself ---
cp -a "$work/base" "$work/beside"
cp -R "$work/use/root/one" "$work/beside/root/"
done_well "apt installs our packages after Debian's makeself" beside "$apt update && $apt install makeself && $apt install /root/one/kutrace_*.deb /root/one/libkutrace1_*.deb"
for root in use beside; do
	is "$root: /usr/bin/makeself is Debian's" "$(inside $root "dpkg -S /usr/bin/makeself")" "makeself: /usr/bin/makeself"
	like "$root: Debian's makeself" "$(inside $root "makeself --version" 2>&1)" '^Makeself version'
	like "$root: our makeself, by the line of README.Debian" "$(inside $root "$(sed -n 's/^ *\(export PATH=.*\)/\1/p' \
		control/dist/debian/kutrace.README.Debian); makeself --version" 2>&1)" "^makeself .*$version"
	is "$root: manual pages of makeself" "$(cd "$work/$root/usr/share/man/man1" && ls makeself* | tr '\n' ' ')" "makeself.1.gz makeself.1kutrace.gz "
done
rm -rf "$work/beside"
done_well "apt purges Debian's makeself" use "$apt purge makeself"
done_well "our makeself is still there" use "/usr/lib/kutrace/bin/makeself --version"

# --- upgraded, removed, purged ---
is "the tools of kutrace-interop" "$(inside use "dpkg -L kutrace-interop" | grep '/bin/' | sort | tr '\n' ' ')" \
	"/usr/lib/kutrace/bin/ctftoevent /usr/lib/kutrace/bin/perfettotoevent "
is "kutrace alone needs neither of their libraries" "$(inside use "dpkg -s kutrace" | grep -E '^Depends:.*(babeltrace|protobuf)')" ""
done_well "apt upgrades the packages" use "$apt install /root/next/*.deb"
like "DKMS has upgraded the module" "$(inside use "dkms status kutrace")" ": installed"
is "only one version of the module is left" "$(inside use "dkms status kutrace" | wc -l)" 1
# The administrator's files, and traces of both services.
configured="/etc/default/kutrace /etc/modprobe.d/kutrace.conf /etc/modules-load.d/kutrace.conf /var/lib/kutrace-recorder/a.trace
	/var/lib/private/kutrace/b.trace"
inside use "mkdir -p /etc/modprobe.d /etc/modules-load.d /var/lib/kutrace-recorder; install -d -m 700 /var/lib/private /var/lib/private/kutrace
	for file in ${configured//$'\n'/ }; do echo '# x' >\$file; done; ln -s private/kutrace /var/lib/kutrace"
done_well "apt removes the packages" use "$apt remove kutrace kutrace-interop kutrace-dkms kutrace-doc libkutrace1 libkutrace-dev"
is "no module is left" "$(inside use "dkms status kutrace; find /lib/modules -name 'kutrace*'")" ""
done_well "their configuration and the traces remain" use "ls ${configured//$'\n'/ }"
# apt does not purge a removed package of which nothing is left; dpkg does.
done_well "dpkg purges the packages" use "dpkg --purge kutrace kutrace-interop kutrace-dkms kutrace-doc libkutrace1 libkutrace-dev"
grep -qx './var/lib/private' "$TAP_TMP/before" || inside use "rmdir /var/lib/private"
files >"$TAP_TMP/after"
is "the user and the group remain, because files may belong to them" "$(inside use "getent passwd kutrace; getent group tracing" | cut -d : -f 1 | tr '\n' ' ')" "kutrace tracing "
# Files that depmod writes for a kernel, and the key that DKMS makes for itself, belong to no package.
is "no file is left" "$(comm -13 "$TAP_TMP/before" "$TAP_TMP/after" |
	grep -v '^./etc/\(group\|gshadow\|passwd\|shadow\)-\?$\|/lib/modules/[^/]*/modules\.[a-z.]*$\|^./var/lib/dkms/mok\.[a-z]*$')" ""
is "no other file was removed" "$(comm -23 "$TAP_TMP/before" "$TAP_TMP/after")" ""
tap_end
