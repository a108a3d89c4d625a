#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the object files of two kernel builds: each section and its relocations. With
# CONFIG_KUTRACE=n, code and data must be the same as without the patches. Names of symbols may
# differ, because some contain line numbers. Ignores the line numbers of BUG() and WARN(), two bytes
# in each entry of __bug_table. The line numbers of might_sleep() must be configured out of both
# builds.
#
#	kernel-patches/compare.sh BUILD1 BUILD2
#
# Prints each object that differs or is missing. Exit status: 0 if all are the same, 1 if not, 2
# usage or nothing to compare.
set -euo pipefail
[ $# = 2 ] && [ -d "$1" ] && [ -d "$2" ] || { echo "usage: compare.sh BUILD1 BUILD2" >&2; exit 2; }

scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# Prints the objects of a build, except those that are linked from others or contain the build's
# time and number.
objects()
{
	(cd "$1" && find . -name '*.o' ! -name 'vmlinux*.o' ! -name '.*' ! -path './tools/*' \
		! -path './scripts/*' ! -path './init/version*' ! -path './kernel/kutrace/*' \
		! -path './arch/x86/boot/*' | LC_ALL=C sort)
}

# Prints the content that must be the same in both builds.
content()
{
	local bytes

	objdump -s -r "$1" | sed '/file format/d; /^Contents of section __bug_table:/,/^[^ ]/{/^ /d}'
	bytes=$(pointer_bytes "$1")
	# An entry has pointers, the line (2 bytes) and flags (2 bytes).
	objcopy -O binary --only-section=__bug_table --set-section-flags __bug_table=alloc \
		"$1" "$scratch" 2>/dev/null &&
		perl -0777 -pe "s/(.{$bytes})..(..)/\$1\$2/gs" "$scratch"
}

# Prints the size of the pointers at the beginning of an entry of __bug_table: address, format (in
# Linux 7.2), and file. Each pointer has a relocation.
pointer_bytes()
{
	objdump -r -j __bug_table "$1" | perl -ne '
		if (/^([0-9a-f]+) R_/ && !$over) { $over = hex($1) != $bytes; $bytes += 4 if !$over }
		END { print $bytes + 0 }'
}

different=0 same=0
while read -r object; do
	if [ ! -f "$1/$object" ] || [ ! -f "$2/$object" ]; then
		echo "missing: $object"
		different=$((different + 1))
	elif cmp -s "$1/$object" "$2/$object" ||
	    [ "$(content "$1/$object" | sha256sum)" = "$(content "$2/$object" | sha256sum)" ]; then
		same=$((same + 1))
	else
		echo "differs: $object"
		different=$((different + 1))
	fi
done < <({ objects "$1"; objects "$2"; } | LC_ALL=C sort -u)
echo "$same objects the same, $different different"
[ "$same" -gt 0 ] || exit 2
[ "$different" = 0 ]
