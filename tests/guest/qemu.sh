#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Says with which QEMU the guests run, and whether their CPUs may run side by side.
# QEMU before 8.1 is not safe with one host thread per CPU: when one CPU changes kernel
# code, as attaching to tracepoints does, another that translates it at that moment goes on
# with the old code for ever. Newer ones do that rarely: a store forgets the translation first and
# stores then, and what is translated in between is the old code (10.0.2, once in 475 rounds of
# attaching and detaching under load: a breakpoint of the kernel's patching was met when it was
# long gone, "Oops: int3" in __schedule). Debian 13 has a newer one; on Debian 12 the one from
# backports is fetched by apt and unpacked, never installed, into the cache
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/qemu-VERSION/	(for arm64 qemu-arm64-VERSION, and likewise riscv64)
#
# and where apt has none, the machine's own does, with one host thread for all CPUs.
#
#	tests/guest/qemu.sh [--fetch] [arm64|riscv64]
#
# With an architecture it is the one for such machines. Without --fetch nothing is fetched: what is there is said. With KUTRACE_QEMU set, that
# program is it; for arm64 KUTRACE_QEMU_ARM64, for riscv64 KUTRACE_QEMU_RISCV64. Called with --fetch by `make guest-qemu` and `make check-full`, without by
# boot.sh.
#
# Prints shell assignments: QEMU (words of a command), QEMU_THREADS (multi or single),
# QEMU_VERSION. Exit status: 0; 1 with a message: there is no QEMU at all.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
here=$(cd "$(dirname "$0")" && pwd)
fetch_it=
[ "${1-}" != --fetch ] || { fetch_it=1; shift; }
case ${1-} in
'') name=qemu-system-x86_64 package=qemu-system-x86 machine=pc unpacked=qemu given=${KUTRACE_QEMU-} ;;
arm64) name=qemu-system-aarch64 package=qemu-system-arm machine=virt unpacked=qemu-arm64 given=${KUTRACE_QEMU_ARM64-} ;;
riscv64) name=qemu-system-riscv64 package=qemu-system-riscv machine=virt unpacked=qemu-riscv64 given=${KUTRACE_QEMU_RISCV64-} ;;
*) echo "usage: qemu.sh [--fetch] [arm64|riscv64]" >&2; exit 2 ;;
esac

die()
{
	echo "qemu: $*" >&2
	exit 1
}

# version_of COMMAND...: 7.2.22; empty: it does not run.
version_of()
{
	{ "$@" --version 2>/dev/null || true; } |
		sed -n '1s/.*version \([0-9][0-9.]*\).*/\1/p'
}

# starts COMMAND: whether a machine with two CPUs side by side comes up, with its firmware.
starts()
{
	echo quit | timeout 60 "$1" -nodefaults -no-user-config -display none -machine "$machine" \
		-accel tcg,thread=multi -smp 2 -m 64 -S -monitor stdio >/dev/null 2>&1
}

# Whether CPUs may run side by side: 8.1 or newer.
is_safe()
{
	[ -n "$1" ] && [ "$(printf '8.1\n%s\n' "$1" | sort -V | head -n 1)" = 8.1 ]
}

say()	# COMMAND VERSION
{
	local threads=single
	! is_safe "$2" || threads=multi
	printf "QEMU='%s'\nQEMU_THREADS='%s'\nQEMU_VERSION='%s'\n" "$1" "$threads" "$2"
	exit 0
}

# The unpacked one is started by a script of its own, which names its libraries and firmware.
say_unpacked()
{
	local dir version

	for dir in "$cache/$unpacked"-[0-9]*; do
		[ -x "$dir/run" ] || continue
		version=$(version_of "$dir/run")
		! is_safe "$version" || ! "$here/../cache.sh" --use "$dir" || say "$dir/run" "$version"
	done
}

# fetch: unpacks what apt would install of QEMU from backports; 1: it cannot.
fetch()
{
	local suite apt_options=() version

	. "$here/../../kernel-patches/apt.sh"
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	[ -n "$suite" ] || return 1
	suite_apt "$suite-backports" "$suite" "$suite-backports" || return 1
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT	# of fetch's own subshell
	mkdir "$work/root"
	apt_wants -t "$suite-backports" "$package" >"$work/packages" 2>"$work/log"
	version=$(sed -n 's/^'"$package"'=\([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p' "$work/packages")
	is_safe "$version" || return 1
	echo "qemu: fetching QEMU $version from backports (not installed, only unpacked)" >&2
	# shellcheck disable=SC2046 # names of packages
	apt_unpack "$work/deb" "$work/root" $(cat "$work/packages") >"$work/log" 2>&1 ||
		{ tail -n 3 "$work/log" >&2; return 1; }
	cat >"$work/root/run" <<RUN
#!/bin/sh
here=\${0%/*}
for lib in "\$here"/usr/lib/*-linux-gnu "\$here"/lib/*-linux-gnu; do
	LD_LIBRARY_PATH=\$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
done
export LD_LIBRARY_PATH
exec "\$here/usr/bin/$name" -L "\$here/usr/share/qemu" -L "\$here/usr/share/seabios" \
	-L /usr/share/seabios "\$@"
RUN
	chmod 755 "$work/root" "$work/root/run"
	is_safe "$(version_of "$work/root/run")" && starts "$work/root/run" ||
		{ "$work/root/run" --version 2>&1 | head -n 3 >&2; return 1; }
	rm -rf "$cache/$unpacked-$version"
	mv -T "$work/root" "$cache/$unpacked-$version" 2>/dev/null || [ -d "$cache/$unpacked-$version" ] || return
	"$here/../cache.sh" --trim || true
}

own=$(version_of "${given:-$name}" || true)
if [ -n "$given" ]; then
	[ -n "$own" ] || die "$given, which KUTRACE_QEMU or its like for another architecture names, does not run"
	say "$given" "$own"
fi
! is_safe "$own" || say "$name" "$own"
say_unpacked
if [ -n "$fetch_it" ]; then
	mkdir -p "$cache"
	exec 9>"$cache/qemu.lock"
	flock 9
	# Another may have fetched it while this one waited.
	say_unpacked
	if (fetch); then
		say_unpacked
	fi
	echo "qemu: no newer QEMU than ${own:-none}: the guests' CPUs take turns" >&2
fi
[ -n "$own" ] || die "there is no $name: tests/deps.sh ${1:-guest}"
say "$name" "$own"
