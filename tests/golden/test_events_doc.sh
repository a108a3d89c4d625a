#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# docs/events.md says what the event table says, and no two events share a code.
. "$(dirname "$0")/../tap.sh"
tap_begin

generator=${BUILD:-build}/gen/gen_events
if [ -z "${KUTRACE_BUILT-}" ] && ! make --no-print-directory BUILD="${BUILD:-build}" "$generator" >/dev/null; then
	fail "the generator builds" "see above"
	tap_end
fi
ok "docs/events.md is up to date (make docs)" diff <("$generator") docs/events.md

# Every code of a point, a name or a made event once; the ranges beside them.
twice=$("$generator" | awk -F'|' '
	/^## / { section = $0 }
	section ~ /Names|Points|Made/ && $2 ~ /^ [0-9a-f]+ $/ { print $2 }' | sort | uniq -d)
is "no code is given twice" "$twice" ""
ranges=$("$generator" | awk -F'|' '
	/^## / { section = $0 }
	section ~ /Calls/ && $2 ~ /\.\./ { print $2 "\n" $3 }' | tr -s ' .' ' ' |
	while read -r from to; do echo "$((16#$from)) $((16#$to))"; done | sort -n)
overlap=$(echo "$ranges" | awk 'NR > 1 && $1 <= last { print "at", $1 } { last = $2 }')
is "there are ranges of calls and returns" "$(echo "$ranges" | awk 'NF == 2' | wc -l)" 14
is "no ranges overlap" "$overlap" ""
tap_end
