#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the manual pages and their other names. Pages of programs whose names do not begin with
# kutrace get the section 1SUFFIX, so that another package can have a page of the same name.
#
#	install_man.sh MANDIR [SUFFIX]
set -eu
umask 022
man=$1
suffix=${2-}

# Prints the file of a page below MANDIR.
file_of()	# NAME.SECTION
{
	case $1 in
	kutrace*.1) echo "man1/$1" ;;
	*.1) echo "man1/$1$suffix" ;;
	*) echo "man${1##*.}/$1" ;;
	esac
}

for page in docs/reference/man/*.[1-9]; do
	file=$(file_of "${page##*/}")
	mkdir -p "$man/${file%/*}"
	sed "s/^\(\.TH [^ ]*\) [^ ]*/\1 ${file##*.}/" "$page" >"$man/$file"
done
grep -v '^#' docs/reference/man/aliases | while read -r alias page; do
	echo ".so $(file_of "$page")" >"$man/$(file_of "$alias")"
done
