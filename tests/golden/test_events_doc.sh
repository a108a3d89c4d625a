#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests that docs/reference/events.md and the page's events.ts agree with the event table, that no two events
# share a code, and that no other file of the page contains an event number.
. "$(dirname "$0")/../tap.sh"
tap_begin

generator=${BUILD:-build}/gen/gen_events
if [ -z "${KUTRACE_BUILT-}" ] && ! make --no-print-directory BUILD="${BUILD:-build}" "$generator" \
	"${BUILD:-build}/gen/gen_page_events" >/dev/null; then
	fail "the generator builds" "see above"
	tap_end
fi
ok "docs/reference/events.md is up to date (make docs)" diff <("$generator") docs/reference/events.md
ok "templates/js/base/events.ts is up to date (make docs)" \
	diff <("${BUILD:-build}/gen/gen_page_events") templates/js/base/events.ts
is "no other file of the page has an event number" \
	"$(grep -rnE '\b0x[0-9a-fA-F]{3}\b' templates/js --include=*.ts | grep -v '^templates/js/base/events.ts:' |
		grep -vE '& 0xfff\b')" ""

# Each code of a point, a name or a made event occurs once. Ranges are not included.
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
