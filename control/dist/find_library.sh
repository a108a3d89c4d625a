#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the loader find libkutrace after `make install`: runs ldconfig if this user is root and the
# loader searches the library's folder. Otherwise prints what the user must do. Must not change the
# loader's list of folders.
#
#	find_library.sh [--removed] LIBDIR	with --removed, after `make uninstall`: prints nothing
set -eu
removed=
[ "$1" != --removed ] || { removed=1; shift; }
folder=$1
PATH=$PATH:/usr/sbin:/sbin
# Other C libraries than glibc have no list of libraries.
command -v ldconfig >/dev/null || exit 0

# True if the loader searches the folder.
is_searched()
{
	ldconfig -N -X -v 2>/dev/null | sed -n 's|^\(/[^:]*\):.*|\1|p' | while read -r searched; do
		[ "$(realpath "$searched")" != "$(realpath "$folder")" ] || echo yes
	done | grep -q yes
}

if ! is_searched; then
	[ -n "$removed" ] || cat >&2 <<-END
		make install: the loader does not search $folder. For programs that use libkutrace, as root:
		    echo $folder >/etc/ld.so.conf.d/kutrace.conf && ldconfig
		or link each program with -Wl,-rpath,$folder
	END
elif [ "$(id -u)" = 0 ]; then
	ldconfig
elif [ -z "$removed" ]; then
	echo "make install: programs find libkutrace after: sudo ldconfig" >&2
fi
