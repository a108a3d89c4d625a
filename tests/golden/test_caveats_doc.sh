#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests that the texts about caveats are those of docs/caveats.def, and that this file has all
# caveats of the module and the importers.
. "$(dirname "$0")/../tap.sh"
tap_begin

caveats=${BUILD:-build}/gen/gen_caveats
if [ -z "${KUTRACE_BUILT-}" ] && ! make --no-print-directory BUILD="${BUILD:-build}" "$caveats" >/dev/null; then
	fail "the generator builds" "see above"
	tap_end
fi
ok "templates/js/base/caveats.ts is up to date (make docs)" diff <("$caveats" page) templates/js/base/caveats.ts
between_lines()	# FILE END
{
	awk "/$2/ { inside = 0 } inside { print } /caveats.def/ { inside = 1 }" "$1"
}
ok "kutrace-trace(5) has the caveats (make docs)" \
	diff <("$caveats" man) <(between_lines docs/reference/man/kutrace-trace.5 'end of caveats')
ok "docs/reference/kernels.md has the caveats (make docs)" \
	diff <("$caveats" kernels) <(between_lines docs/reference/kernels.md 'end of meanings')
ok "each caveat of the module has a text" "$caveats" page
# The importers name a caveat in "caveat=NAME", or in a table caveats[].
imported=$(find postprocess -name '*.c' -exec awk '
	/caveats\[\] = \{/, /^\t};/ { if (match($0, /"[a-z_]+" }/)) print substr($0, RSTART + 1, RLENGTH - 4) }
	match($0, /"caveat=[a-z_]+"/) { print substr($0, RSTART + 8, RLENGTH - 9) }' {} + | sort -u)
between "number of caveats of the importers" "$(echo "$imported" | wc -l)" 12 100
is "each caveat of the importers has a text" \
	"$(comm -23 <(echo "$imported") <("$caveats" page | sed -n "s/^\t\([a-z_]*\): .*/\1/p" | sort))" ""
tap_end
