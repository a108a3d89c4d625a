# SPDX-License-Identifier: BSD-3-Clause
#
# What build.sh and the tests of the patch set share: where kernel sources come
# from, how a tree is configured and compiled. To be sourced by bash with
#
#	here	this directory
#	kver	6.1
#	jobs	how many compilers at a time
#	karch	arm64; or empty, or not set, for this machine's, which is x86-64
#	llvm	folder of clang and its tools; or empty, or not set, for gcc (kernel_llvm sets it)
#
# set, and a function die. Nothing here installs anything, or writes outside the
# cache and the tree it is given.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
. "$here/apt.sh"

# The Debian release that has the package linux-source-$1.
suite_of()
{
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	7.2) echo sid ;;
	esac
}

# The distribution's source package: sets version and source, a directory that is
# not to be written to. Fetched by apt and unpacked once per version; of an older Debian
# release if the machine's own has it no more.
kernel_source()
{
	local package=linux-source-$kver suite fetched apt_options=()

	mkdir -p "$cache"
	suite=$(suite_of "$kver")
	version=$(apt_version "$package")
	if [ -z "$version" ] && [ -n "$suite" ]; then
		echo "kernel: no $package here; looking into Debian $suite" >&2
		suite_apt "$suite" "$suite" || die "Debian $suite cannot be had by this machine's apt"
		version=$(apt_version "$package")
	fi
	[ -n "$version" ] || die "apt knows no package $package: sudo apt-get update"
	source=$cache/source-${package}_${version/:/%3a}
	# What nobody uses for long is dropped from the cache (tests/cache.sh): this is used now.
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

# The compiler, and the image of a kernel, in its build folder.
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

kernel_image()
{
	echo "arch/${karch:-x86}/boot/$([ -n "${karch-}" ] && echo Image || echo bzImage)"
}

# kernel_make TREE ARG...: make in TREE, which is built in TREE/build, so that the
# compiler sees the same names whatever TREE is called, and ccache knows again
# what it has compiled in another. Needs ccache only where it is there.
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

# kutrace_options m|y: lines of a configuration: every category of hooks compiled
# in, the module as a module or built in.
kutrace_options()
{
	echo CONFIG_KUTRACE=y
	sed -n 's/^config \(KUTRACE_.*\)/CONFIG_\1=y/p' "$here/../Kconfig" |
		sed "s/^CONFIG_KUTRACE_MODULE=y/CONFIG_KUTRACE_MODULE=$1/; /_KUNIT_TEST=/d"
}

# kernel_config TREE FILE: FILE's options and no others but what they need.
kernel_config()
{
	mkdir -p "$1/build"
	kernel_make "$1" KCONFIG_ALLCONFIG="$(realpath "$2")" allnoconfig
}

# kernel_headers TREE DIR: what a module is built against, out of a tree that was built in
# TREE/build: a folder that needs neither. The same that a distribution's package of headers has.
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
