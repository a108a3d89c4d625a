#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Selects the QEMU for the guests, and reports whether their CPUs may run at the same time. QEMU
# before 8.1 is not safe with one host thread per CPU: when one CPU changes kernel code, as
# attaching to tracepoints does, another CPU that translates this code at that moment continues with
# the old code for ever. Newer versions do this rarely: a store first drops the old translation and
# then changes the memory, and a translation in between has the old code. With 10.0.2, this happened
# once in 475 rounds of attaching and detaching under load: a CPU executed a removed breakpoint,
# "Oops: int3" in __schedule. Debian 13 has a newer QEMU. The script fetches a newer QEMU by
# apt, on Debian 12 from backports, and unpacks it into the cache, without installing it:
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/qemu-VERSION/	(qemu-arm64-VERSION, qemu-riscv64-VERSION)
#
# If apt has no newer QEMU, the machine's own QEMU is used, with one host thread for all CPUs.
#
#	tests/guest/qemu.sh [--fetch] [arm64|riscv64]
#
# With an architecture, it selects the QEMU for such machines. Without --fetch it uses only a QEMU
# that is already in the cache or installed. If KUTRACE_QEMU is set, it selects that program; for
# arm64 KUTRACE_QEMU_ARM64, for riscv64 KUTRACE_QEMU_RISCV64.
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

# version_of COMMAND...: prints a version such as 7.2.22, or nothing if the command does not run.
version_of()
{
	{ "$@" --version 2>/dev/null || true; } |
		sed -n '1s/.*version \([0-9][0-9.]*\).*/\1/p'
}

# starts COMMAND: succeeds if this QEMU starts a machine with two CPUs on two threads.
starts()
{
	echo quit | timeout 60 "$1" -nodefaults -no-user-config -display none -machine "$machine" \
		-accel tcg,thread=multi -smp 2 -m 64 -S -monitor stdio >/dev/null 2>&1
}

# is_safe VERSION: succeeds if the CPUs of this QEMU may run at the same time.
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

# Selects the unpacked QEMU, whose own script sets its libraries and firmware.
say_unpacked()
{
	local dir version

	for dir in "$cache/$unpacked"-[0-9]*; do
		[ -x "$dir/run" ] || continue
		version=$(version_of "$dir/run")
		! is_safe "$version" || ! "$here/../cache.sh" --use "$dir" || say "$dir/run" "$version"
	done
}

# upstream VERSION: prints the part of a package's version that is QEMU's.
upstream()
{
	sed -n 's/^\([0-9]*:\)\{0,1\}\([0-9.]*[0-9]\).*/\2/p' <<<"$1"
}

# Unpacks the packages that apt would install for QEMU, of this release or its backports. Returns 1 if
# it cannot.
fetch()
{
	local suite apt_options=() version bytes where='' failed=

	. "$here/../../kernel-patches/apt.sh"
	. "$here/../progress.inc"
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	[ -n "$suite" ] || return 1
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT	# the trap of fetch's own subshell
	mkdir "$work/root"
	if ! is_safe "$(upstream "$(apt_version "$package")")"; then
		where=$suite-backports
		echo "qemu: reading the lists of packages of $where (about 10 MB)" >&2
		# Without translated descriptions, the lists are smaller.
		echo 'Acquire::Languages "none";' >"$work/apt.conf"
		APT_CONFIG=$work/apt.conf suite_apt "$where" "$suite" "$where" || return 1
	fi
	apt_wants ${where:+-t "$where"} "$package" >"$work/packages" 2>"$work/log"
	# qemu-system-common needs many libraries for windows, sound and smart cards. The guests use none of
	# them, so the script makes apt believe that this package is installed.
	{
		cat /var/lib/dpkg/status
		sed -n "s/^qemu-system-common=\(.*\)/\nPackage: qemu-system-common\nStatus: hold ok installed\nArchitecture: $(dpkg --print-architecture)\nVersion: \1/p" "$work/packages"
	} >"$work/status"
	apt_wants -o Dir::State::Status="$work/status" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		${where:+-t "$where"} "$package" >"$work/packages" 2>"$work/log"
	version=$(upstream "$(sed -n "s/^$package=//p" "$work/packages")")
	is_safe "$version" || return 1
	# shellcheck disable=SC2046 # names of packages
	bytes=$(apt_bytes ${apt_options[@]+"${apt_options[@]}"} download $(cat "$work/packages") || true)
	echo "qemu: fetching QEMU $version${where:+ of $where}: $(wc -l <"$work/packages") packages, $(megabytes "$bytes") to download (not installed, only unpacked)" >&2
	progress_begin progress_fetch "$work/deb" "$bytes"
	# shellcheck disable=SC2046 # names of packages
	apt_unpack "$work/deb" "$work/root" $(cat "$work/packages") >"$work/log" 2>&1 || failed=1
	progress_end
	[ -z "$failed" ] || { tail -n 3 "$work/log" >&2; return 1; }
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
	# Another process may have fetched QEMU while this process waited.
	say_unpacked
	if (fetch); then
		say_unpacked
	fi
	echo "qemu: no newer QEMU than ${own:-none}: the guests' CPUs take turns" >&2
fi
[ -n "$own" ] || die "$name is missing; run tests/deps.sh ${1:-guest}"
say "$name" "$own"
