# SPDX-License-Identifier: BSD-3-Clause
#
# Functions that build.sh and the tests of the patch set share: they fetch kernel sources, and
# configure and compile a tree. A bash script sources this file. It must have a function die and
# these variables:
#
#	here	this directory
#	kver	the release, such as 6.1
#	jobs	the number of compilers that run at the same time
#	karch	arm64; empty or unset for x86-64
#	llvm	the folder of clang and its tools; empty or unset for gcc (kernel_llvm sets it)
#
# Must not install anything, nor write outside the cache and the given tree.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
. "$here/apt.sh"

# Prints the Debian release that has the package linux-source-$1.
suite_of()
{
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	7.2) echo sid ;;
	esac
}

# Sets version and source: the version of the distribution's source package, and the directory with
# the source, which must not be changed. apt fetches and unpacks each version once. If the machine's
# release does not have the package, another Debian release is used.
kernel_source()
{
	local package=linux-source-$kver suite fetched apt_options=()

	mkdir -p "$cache"
	suite=$(suite_of "$kver")
	version=$(apt_version "$package")
	if [ -z "$version" ] && [ -n "$suite" ]; then
		echo "kernel: this machine's apt has no $package; searching Debian $suite" >&2
		suite_apt "$suite" "$suite" || die "cannot read the package lists of Debian $suite"
		version=$(apt_version "$package")
	fi
	[ -n "$version" ] || die "cannot find package $package; try sudo apt-get update"
	source=$cache/source-${package}_${version/:/%3a}
	# The cache removes sources that were not used for a long time (tests/cache.sh), so mark
	# this source as used.
	touch -c "$source" 2>/dev/null || :
	[ ! -d "$source" ] || return 0
	fetched=$(mktemp -d "$cache/.tmp.XXXXXX")
	fetch_source "$package" "$fetched"
	rm -rf "$fetched"
}

fetch_source()	# PACKAGE DIR
{
	local package=$1 fetched=$2

	echo "kernel: fetching $package $version (not installed, only unpacked)" >&2
	if ! (cd "$fetched" && apt-get -q ${apt_options[@]+"${apt_options[@]}"} \
		-o APT::Sandbox::User=root -o Acquire::Retries=3 \
		download "$package=$version") >"$fetched/log" 2>&1 </dev/null; then
		tail -n 3 "$fetched/log" >&2
		rm -rf "$fetched"
		die "cannot fetch $package"
	fi
	mkdir "$fetched/source"
	dpkg -x "$fetched"/*.deb "$fetched/root" &&
		tar -xf "$fetched/root/usr/src/$package.tar.xz" -C "$fetched/source" \
			--strip-components=1 || {
		rm -rf "$fetched"
		die "cannot unpack $package"
	}
	chmod 755 "$fetched/source"
	mv -T "$fetched/source" "$source" 2>/dev/null || [ -d "$source" ] || die "cannot create $source"
}

# Prints the compiler.
kernel_cc()
{
	if [ -n "${llvm-}" ]; then
		echo "$llvm/clang"
	else
		echo "${CC:-${karch:+aarch64-linux-gnu-}gcc}"
	fi
}

# Fetches clang 19 and its tools into the cache. Sets llvm.
kernel_llvm()
{
	local found

	found=$("$here/../tests/guest/programs.sh" clang19 "clang-19 lld-19 llvm-19" usr/bin/clang-19) ||
		exit $?
	llvm=$(sed -n 's#/usr/bin/clang-19:.*#/usr/lib/llvm-19/bin#p' <<<"$found")
	export LD_LIBRARY_PATH=${llvm%/bin}/lib:${llvm%/lib/llvm-19/bin}/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# Prints the name of the kernel's image in its build folder.
kernel_image()
{
	echo "arch/${karch:-x86}/boot/$([ -n "${karch-}" ] && echo Image || echo bzImage)"
}

# kernel_make TREE ARG...: runs make in TREE, with TREE/build as the build folder. The compiler gets
# the same names in each TREE, so ccache finds what another tree has compiled. ccache is optional.
kernel_make()
{
	local tree=$1 cc
	shift

	cc=$(kernel_cc)
	[ -z "${karch-}" ] || set -- ARCH="$karch" CROSS_COMPILE=aarch64-linux-gnu- "$@"
	[ -z "${llvm-}" ] || set -- LLVM="$llvm/" "$@"

	! command -v ccache >/dev/null 2>&1 || cc="ccache $cc"
	CCACHE_DIR=$cache/ccache CCACHE_MAXSIZE=3G CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$tree \
		KBUILD_BUILD_USER=kutrace KBUILD_BUILD_HOST=kutrace \
		KBUILD_BUILD_TIMESTAMP=$(date -u -r "$tree/Makefile") \
		make -C "$tree" O="$tree/build" -j"$jobs" CC="$cc" "$@" </dev/null
}

# kutrace_options m|y: prints lines of a configuration: all categories of hooks, and the module as a
# module or built in.
kutrace_options()
{
	echo CONFIG_KUTRACE=y
	sed -n 's/^config \(KUTRACE_.*\)/CONFIG_\1=y/p' "$here/../Kconfig" |
		sed "s/^CONFIG_KUTRACE_MODULE=y/CONFIG_KUTRACE_MODULE=$1/; /_KUNIT_TEST=/d"
}

# kernel_config TREE FILE: sets FILE's options, and no others except those that they need.
kernel_config()
{
	mkdir -p "$1/build"
	kernel_make "$1" KCONFIG_ALLCONFIG="$(realpath "$2")" allnoconfig
}

# kernel_headers TREE DIR: copies the headers and tools that building a module needs from TREE and
# TREE/build to DIR. As with a distribution's package of headers, DIR then needs no other folder.
kernel_headers()
{
	local arch=${karch:-x86} more=()

	[ "$arch" != x86 ] || more=(arch/x86/entry/syscalls)
	mkdir -p "$2" &&
		(cd "$1" && {
			find . "arch/$arch" -maxdepth 1 -name 'Makefile*' &&
				find include scripts -type f -o -type l &&
				find "arch/$arch/include" "arch/$arch/tools" "${more[@]}" -type f
		} | cpio --quiet -pdm "$2") &&
		(cd "$1/build" && {
			echo .config && echo Module.symvers &&
				{ [ ! -f tools/objtool/objtool ] || echo tools/objtool/objtool; } &&
				find "arch/$arch/include" include scripts -type f ! -name '*.o' ! -name '*.cmd'
		} | cpio --quiet -pdmu "$2")
}
