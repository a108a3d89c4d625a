#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Checks docs/reference/glossary.md. The index has each term once, in order and with the right section. The names
# of code and the manual pages in the glossary exist. First runs on a glossary with every fault.
. tests/tap.sh
tap_begin

# Prints "TERM SECTION" for each term of the glossary $1, with the section as in a link.
terms()
{
	awk -F ' *[|] *' '
	/^## / { section = tolower(substr($0, 4)); gsub(/ /, "-", section) }
	section == "index" || section ~ /^words-/ || !/^[|] / || $2 == "Term" { next }
	{
		n = split($2, term, /, /)
		for (i = 1; i <= n; i++)
			print term[i] " " section
	}' "$1"
}

# Prints "TERM SECTION" for each link of the index, in the order of the index.
links()
{
	awk '/^## / { index_on = $0 == "## Index" } index_on' "$1" | grep -o '\[[^]]*\](#[^)]*)' |
		sed 's/^\[\(.*\)\](#\(.*\))$/\1 \2/'
}

# Prints the differences between the terms and the index of the glossary $1.
differences()
{
	terms "$1" | sort >"$TAP_TMP/terms"
	links "$1" | sort >"$TAP_TMP/links"
	diff "$TAP_TMP/terms" "$TAP_TMP/links" | grep '^[<>]' | LC_ALL=C sort
}

# Prints each term of the index that comes after a term that it should precede.
unsorted()
{
	links "$1" | sed 's/ [^ ]*$//; s/ (.*)$//' | tr '[:upper:]' '[:lower:]' |
		LC_ALL=C awk '$0 < last { print } { last = $0 }'
}

# Prints each name of code in the column of meanings that no source file contains.
gone()
{
	awk -F '[|]' '/^[|] / { print $3 }' "$1" | grep -o '`[^`]*`' | tr -d '`' |
		sed 's/^\(struct\|enum\) //; s/()$//' |
		grep -Ex '(ku|kp|kutrace|KU|KUTRACE)_[A-Za-z0-9_]+' | sort -u >"$TAP_TMP/named"
	grep -Fvx -f "$TAP_TMP/sources" "$TAP_TMP/named"
}

# Prints each manual page that docs/ does not have.
pages()
{
	grep -oE '[a-z0-9_-]+\([1-8]\)' "$1" | sort -u | tr '()' '. ' | while read -r _page; do
		[ -f "docs/reference/man/$_page" ] || grep -q "^$_page " docs/reference/man/aliases || echo "$_page"
	done
}

grep -rhoE '(ku|kp|kutrace|KU|KUTRACE)_[A-Za-z0-9_]+' module control postprocess templates/js \
	--include='*.[chS]' --include='*.def' --include='*.ts' | sort -u >"$TAP_TMP/sources"

cat >"$TAP_TMP/bad.md" <<'BAD'
## Index
| | |
|---|---|
| A | [block](#rings), [arc](#spans), [old](#rings) |

## Rings
| Term | Meaning | Elsewhere |
|---|---|---|
| arc, new | See `struct ku_ring`, `ku_no_such_name()`, kuod(1) and nopage(1). | `ku_other` |
| block | A block. | - |

## Words that older comments use
| Older | Read |
|---|---|
| `ring` | `ku_gone` |
BAD
is "faults of an index are found" "$(differences "$TAP_TMP/bad.md")" '< arc rings
< new rings
> arc spans
> old rings'
is "a term out of order is found" "$(unsorted "$TAP_TMP/bad.md")" "arc"
is "names that no source has are found" "$(gone "$TAP_TMP/bad.md")" 'ku_gone
ku_no_such_name'
is "a manual page that does not exist is found" "$(pages "$TAP_TMP/bad.md")" "nopage.1"

ok "the glossary has terms" test "$(terms docs/reference/glossary.md | wc -l)" -ge 60
is "the index has the terms of each section" "$(differences docs/reference/glossary.md)" ""
is "the index is in order" "$(unsorted docs/reference/glossary.md)" ""
is "names of code in the glossary exist" "$(gone docs/reference/glossary.md)" ""
is "manual pages in the glossary exist" "$(pages docs/reference/glossary.md)" ""
tap_end
