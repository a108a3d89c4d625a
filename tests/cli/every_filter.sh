#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that each filter has all of its parts. Each program has the common checks of filter.inc
# (locale, time zone, closed pipes, signals, full disk, read-only directory, empty input), a man
# page, inputs in the corpus of broken inputs, and a measurement of its memory.
. tests/tap.sh
tap_begin
BUILD=${BUILD:-build}

count=0
for source in postprocess/tools/*.c; do
	name=$(basename "$source" .c)
	count=$((count + 1))
	ok "$name: common checks" grep -Eq "^common_checks $name( |\$)" tests/cli/*.sh
	ok "$name: man page" test -f "docs/reference/man/$name.1"
	ok "$name: the man page lists the exit status" grep -q '^\.SH EXIT STATUS' "docs/reference/man/$name.1"
	ok "$name: broken inputs" grep -Eq "(^|[ ='])$name([ ')|;]|\$)" tests/cli/corpus.sh
	ok "$name: memory is measured" grep -Eq "(^|[ /'\"])$name([ '\";)]|\$)" tests/bench/memory.sh
	for option in $("$BUILD/bin/$name" --help 2>/dev/null | grep -Eo '^ +(-[a-z], )?--[a-z-]+' |
		grep -Eo -- '--[a-z-]+' | sort -u); do
		ok "$name: $option is in its man page" \
			grep -q -- "$(printf %s "$option" | sed 's/-/\\\\-/g')" "docs/reference/man/$name.1"
	done
done
between "filters" "$count" 13 40
tap_end
