#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Lists all tools and libraries that the build needs and this machine lacks, each with its purpose
# and its packages. make runs this before it compiles the first file. It must not install anything,
# and must not fail for a tool or library that the target does not use.
#
#	needs.sh [page | static | optional]	with "page", also checks the tools that build the page; with
#				"static", only what static programs need; with "optional", only the libraries
#				without which make builds fewer tools
#
# Compiles with $CC, $CPPFLAGS, $CFLAGS and $LDFLAGS. Exit status: 0 nothing is missing, otherwise 1.
set -eu

CC=${CC:-cc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/missing"

lacks()	# WHAT FOR DEBIAN FEDORA ARCH
{
	printf '  %-20s %-48s (Debian: %s; Fedora: %s; Arch: %s)\n' "$@" >>"$tmp/missing"
}

# Checks for a library: a program that includes its header must link with it.
library()	# HEADER LINK FOR DEBIAN FEDORA ARCH
{
	printf '#include <%s>\nint main(void) { return 0; }\n' "$1" >"$tmp/try.c"
	# shellcheck disable=SC2086 # words
	$CC ${CPPFLAGS-} ${CFLAGS-} "$tmp/try.c" ${LDFLAGS-} $2 -o "$tmp/try" 2>/dev/null && return
	shift 2
	lacks "$header" "$@"
}

# Checks for all libraries together by one program that uses them.
everything()
{
	sed 's/|.*//; s/.*/#include <&>/' "$tmp/libraries" >"$tmp/try.c"
	echo 'int main(void) { return 0; }' >>"$tmp/try.c"
	# shellcheck disable=SC2046,SC2086 # words
	$CC ${CPPFLAGS-} ${CFLAGS-} "$tmp/try.c" ${LDFLAGS-} $(cut -d '|' -f 2 "$tmp/libraries") -o "$tmp/try" 2>/dev/null
}

cat >"$tmp/libraries" <<-'END'
		linux/types.h||the names of system calls|linux-libc-dev|kernel-headers|linux-api-headers
		zlib.h|-lz|pages, compressed traces|zlib1g-dev|zlib-ng-compat-devel|zlib
	END
cat >"$tmp/optional" <<-'END'
		libdeflate.h|-ldeflate|faster packing of pages|libdeflate-dev|libdeflate-devel|libdeflate
		elfutils/libdwfl.h|-ldw -lelf|samptoname: functions of samples|libdw-dev|elfutils-devel|elfutils
		sqlite3.h|-lsqlite3|rawtosqlite|libsqlite3-dev|sqlite-devel|sqlite
		zstd.h|-lzstd|rawtoparquet, dumps packed by zstd|libzstd-dev|libzstd-devel|zstd
		babeltrace2/babeltrace.h|-lbabeltrace2|ctftoevent|libbabeltrace2-dev|libbabeltrace2-devel|babeltrace2
		protobuf-c/protobuf-c.h|-lprotobuf-c|perfettotoevent (with protoc-c)|libprotobuf-c-dev, protobuf-c-compiler|protobuf-c-devel, protobuf-c-compiler|protobuf-c
	END
what='packages that the build needs are missing'
case ${1-} in
static) sed -i '/^linux/!d' "$tmp/libraries" ;;
optional) mv "$tmp/optional" "$tmp/libraries"; what='libraries are missing, so make builds fewer tools' ;;
esac
printf 'int main(void) { return 0; }\n' >"$tmp/none.c"
# shellcheck disable=SC2086
if everything; then
	:
elif ! $CC ${CFLAGS-} "$tmp/none.c" ${LDFLAGS-} -o "$tmp/try" 2>/dev/null; then
	lacks "$CC" 'a C compiler with its library' 'gcc libc6-dev' 'gcc glibc-devel' 'gcc'
else
	while IFS='|' read -r header link what debian fedora arch; do
		library "$header" "$link" "$what" "$debian" "$fedora" "$arch"
	done <"$tmp/libraries"
fi
if [ "${1-}" = page ]; then
	# 0.17 or later; an empty version is too old as well
	case $(${ESBUILD:-esbuild} --version 2>/dev/null) in
	'' | 0.[0-9].* | 0.1[0-6].*)
		lacks 'esbuild 0.17' 'building the page; "make tools" does without' \
			'esbuild' 'npm install --global esbuild' 'esbuild'
		;;
	esac
fi
[ -s "$tmp/missing" ] || exit 0
echo "make: $what:" >&2
sort "$tmp/missing" >&2
exit 1
