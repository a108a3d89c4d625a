#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests that comments, documents and messages have few markers of prose that is hard to read. tests/prose.pl counts them.
. tests/tap.sh
tap_begin

# --- a tree in which each marker is above its limit ---
bad=$TAP_TMP/bad
mkdir -p "$bad/control" "$bad/docs"
hard='What is kept says who it was, behind that of the others, too; else it is to be had once more, so many times.'
plain='Returns the number of bytes, or a negative error. The caller holds the lock and frees the buffer later.'
text()	# SENTENCE
{
	printf '/* SPDX-License-Identifier: BSD-3-Clause */\n/*\n * %s\n */\nstatic const char text[] = "%s";\n' "$1" "$1" >"$bad/control/a.c"
	printf '%s\n' "$1" >"$bad/docs/a.md"
}
text "$hard"
tests/prose.pl "$bad" --max >"$TAP_TMP/out"
is "hard prose: exit status" $? 1
is "hard prose: each of the ten markers is above its limit, in comments, documents and messages" \
	"$(grep -c ' limit .* over$' "$TAP_TMP/out")" 32
tests/prose.pl "$bad" >/dev/null
is "hard prose, without --max: exit status" $? 0
text "$plain"
exits "plain prose: exit status" 0 tests/prose.pl "$bad" --max
rm "$bad/docs/a.md"
exits "no document at all: exit status" 1 tests/prose.pl "$bad" --max
exits "no folder: exit status" 2 tests/prose.pl "$TAP_TMP/none" --max

# --- this tree ---
tests/prose.pl . --max >"$TAP_TMP/out"
is "no marker is above its limit" "$(grep -E '^[a-z]+:| over$' "$TAP_TMP/out" | grep -B1 ' over$')" ""
tap_end
