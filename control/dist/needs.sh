#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Says what the build wants and this machine has not: all of it at once, each with what it is
# for and with its packages. Called by make before the first file is compiled. It must never
# install anything, and never fail for what a target does not use.
#
#	needs.sh [page | static]	with "page", what builds the page, too; with "static", what
#				programs want that use no library
#
# Compiles with $CC, $CPPFLAGS, $CFLAGS and $LDFLAGS. Exit status: 0 everything is there, 1 not.
set -eu

CC=${CC:-cc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/missing"

lacks()	# WHAT FOR DEBIAN FEDORA ARCH
{
	printf '  %-20s %-48s (Debian: %s; Fedora: %s; Arch: %s)\n' "$@" >>"$tmp/missing"
}

# A library is there when a program that includes its header links with it.
library()	# HEADER LINK FOR DEBIAN FEDORA ARCH
{
	printf '#include <%s>\nint main(void) { return 0; }\n' "$1" >"$tmp/try.c"
	# shellcheck disable=SC2086 # words
	$CC ${CPPFLAGS-} ${CFLAGS-} "$tmp/try.c" ${LDFLAGS-} $2 -o "$tmp/try" 2>/dev/null && return
	shift 2
	lacks "$header" "$@"
}

# Is everything there? One program with all of it says so.
everything()
{
	sed 's/|.*//; s/.*/#include <&>/' "$tmp/libraries" >"$tmp/try.c"
	echo 'int main(void) { return 0; }' >>"$tmp/try.c"
	# shellcheck disable=SC2046,SC2086 # words
	$CC ${CPPFLAGS-} ${CFLAGS-} "$tmp/try.c" ${LDFLAGS-} $(cut -d '|' -f 2 "$tmp/libraries") -o "$tmp/try" 2>/dev/null
}

cat >"$tmp/libraries" <<-'END'
		linux/types.h||the names of system calls|linux-libc-dev|kernel-headers|linux-api-headers
		zlib.h|-lz|pages of others, compressed traces|zlib1g-dev|zlib-ng-compat-devel|zlib
		libdeflate.h|-ldeflate|packing pages|libdeflate-dev|libdeflate-devel|libdeflate
		elfutils/libdwfl.h|-ldw -lelf|samptoname: functions of samples|libdw-dev|elfutils-devel|elfutils
		sqlite3.h|-lsqlite3|rawtosqlite|libsqlite3-dev|sqlite-devel|sqlite
		zstd.h|-lzstd|rawtoparquet|libzstd-dev|libzstd-devel|zstd
	END
if [ "${1-}" = static ]; then
	sed -i '/^linux/!d' "$tmp/libraries"
fi
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
	major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9][0-9]*\).*/\1/p')
	if [ "${major:-0}" -lt 18 ] || ! command -v npm >/dev/null 2>&1; then
		lacks 'node 18 and npm' 'building the page; "make tools" does without' \
			'nodejs npm' 'nodejs npm' 'nodejs npm'
	fi
fi
[ -s "$tmp/missing" ] || exit 0
echo "make: this machine has not all that the build wants:" >&2
sort "$tmp/missing" >&2
exit 1
