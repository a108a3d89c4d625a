#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 3
# fast
#
# Checks documents that are generated from others, or that list files: the tables of docs/reference/kernels.md and
# docs/results/kernels.md (tests/guest/kernels_table.sh), tests/guest/README.md and docs/results/README.md. Each
# check first runs on a small tree with faults.
. tests/tap.sh
tap_begin

# Compares the tables of $1/README.md with the files $1/$2 and the tests in their lines "# also: NAME".
# Prints each name that the tables do not list (<), and each listed name that occurs twice or does not
# exist (>).
unlisted()
{
	(
		cd "$1" || exit 1
		{ ls $2; sed -n 's/^# also: \([a-z0-9_]*\) .*/test_\1/p' $2; } |
			grep -v '^README\.md$' | LC_ALL=C sort >"$TAP_TMP/files"
		sed -n 's/([^)]*)//g; s/^| \([^|]*\) |.*/\1/p' README.md | grep -oE '[a-z0-9_]*\.(sh|md)|test_[a-z0-9_]*' | LC_ALL=C sort >"$TAP_TMP/listed"
		diff "$TAP_TMP/files" "$TAP_TMP/listed" | grep '^[<>]'
	)
}

# Prints each file of docs/results/ in $1 whose first line after the title does not state how its figures were made.
unexplained()
{
	(cd "$1" && for file in docs/results/*.md; do
		case $file in */README.md) continue ;; esac
		sed -n '/^# /{n;n;p;q;}' "$file" | grep -qE '(by hand|writes the tables)' || echo "$file"
	done)
}

# --- a small tree ---

. tests/cli/faulty_tree.inc
mkdir -p "$bad/tests/guest"
cp tests/guest/kernels_table.sh "$bad/tests/guest/"
put docs/reference/kernels.md 'before' '<!-- kinds -->' 'old' '<!-- end of kinds -->' 'between' '<!-- caveats -->' \
	'<!-- end of caveats -->' 'after'
put docs/results/kernels.md 'head' '<!-- kinds -->' '| | 6.1 | 6.12-rt | 7.2 | 6.1-arm64 | 7.2-riscv64 | patched-6.1 |' \
	'|---|---|---|---|---|---|---|' '| syscall: syscall64 | yes | yes | yes | - | yes | yes |' \
	'| syscall: syscall32 | yes | - | yes | - | no | yes |' '| trap: trap | yes | yes | yes | - | yes | yes |' \
	'<!-- end of kinds -->' '<!-- caveats -->' '| | 6.1 | 6.12-rt | 7.2 | 6.1-arm64 | 7.2-riscv64 | patched-6.1 |' \
	'|---|---|---|---|---|---|---|' '| locks | x | x |  | x |  |  |' '<!-- end of caveats -->' '<!-- run -->' '```' \
	'kernel       release  CPUs  demo   events  inferred  counters  wrapped: inferred  snapshots  loads  log    s' \
	'stock-6.1    6.1.0    2     sound  10      0         5         0                  3          20     clean  9' \
	'stock-7.2    7.2.1    2     sound  10      0         5         0                  3          20     clean  9' \
	'```' '<!-- end of run -->' 'foot'
mkdir -p "$bad/build"
table()
{
	(cd "$bad" && BUILD=build tests/guest/kernels_table.sh "$@")
}
table --families >"$TAP_TMP/got" 2>"$TAP_TMP/err"
is "families need no results of guests" "$(cat "$TAP_TMP/err")" ""
cat >"$TAP_TMP/expected" <<'EXPECTED'
before
<!-- kinds -->
| | x86-64 6.1, 6.12 | x86-64 7.2 | arm64 6.1, 6.12 | arm64 7.2 | riscv64 6.12 | riscv64 7.2 | patched |
|---|---|---|---|---|---|---|---|
| `syscall64`, `trap` | yes | yes | - |  |  | yes | yes |
| `syscall32` | yes (6.12-rt: -) | yes | - |  |  | no | yes |
<!-- end of kinds -->
between
<!-- caveats -->
| | x86-64 6.1, 6.12 | x86-64 7.2 | arm64 6.1, 6.12 | arm64 7.2 | riscv64 6.12 | riscv64 7.2 | patched |
|---|---|---|---|---|---|---|---|
| `locks` | x |  | x |  |  |  |  |
<!-- end of caveats -->
after
EXPECTED
is "a column for each family, and exceptions by name" "$(cat "$TAP_TMP/got")" "$(cat "$TAP_TMP/expected")"

exits "no results of guests: --doc" 1 table --doc
put build/kernels/stock-7.2/2/tracepoints.json \
	'{"name": "syscall64", "category": "syscall", "state": "on", "hits": 0},' \
	'{"name": "syscall32", "category": "syscall", "state": "on", "hits": 7},' \
	'{"name": "trap", "category": "trap", "state": "none", "hits": 0}'
put build/kernels/stock-7.2/2/status.json '"caveats": ["locks"],'
put build/kernels/stock-7.2/2/row 'stock-7.2|7.2.1|2|sound|11|0|5|0|3|20|clean|9'
exits "--same finds that guests differ" 1 table --same
table --doc >"$TAP_TMP/got"
like "a kernel that was run: its kinds" "$(cat "$TAP_TMP/got")" '^\| syscall: syscall64 \| yes \| - \| yes \| - \| yes \| yes \|$'
like "... none" "$(cat "$TAP_TMP/got")" '^\| trap: trap \| yes \| - \| yes \| no \| yes \| yes \|$'
like "... its caveats" "$(cat "$TAP_TMP/got")" '^\| locks \| x \| x \| x \| x \|  \|  \|$'
like "... its row" "$(cat "$TAP_TMP/got")" '^stock-7.2  7.2.1    2     sound  11 '
like "a kernel that was not run keeps its row" "$(cat "$TAP_TMP/got")" '^stock-6.1  6.1.0    2     sound  10 '
cp "$TAP_TMP/got" "$bad/docs/results/kernels.md"
exits "--same after --doc" 0 table --same
sed -i 's/| 6.12-rt |/| 6.18 |/' "$bad/docs/results/kernels.md"
exits "a kernel in no family" 1 table --families

put lists/README.md '| Test | Holds |' '|---|---|' '| `test_a.sh` | one |' '| `test_b.sh`, `test_c.sh` | two |' '| `test_c.sh` | three |' '| `test_e.sh` | |' '| `test_f`, `test_h` | |'
for name in a b c d; do
	put lists/test_$name.sh ''
done
put lists/test_a.sh '# also: f X=1' '# also: g X=2 full' '# also: b X=1'
is "a list with faults" "$(unlisted "$bad/lists" 'test_*.sh')" '< test_b
< test_d.sh
> test_c.sh
> test_e.sh
< test_g
> test_h'

put docs/results/a.md '<!-- license -->' '# Results: a' '' 'The figures are copied by hand from the output.' '' 'text'
put docs/results/b.md '<!-- license -->' '# Results: b' '' 'Text.' '' 'The figures are copied by hand.'
is "a result that does not state how it was made" "$(unexplained "$bad" | grep '/[ab]\.md')" docs/results/b.md

# --- this tree ---

tests/guest/kernels_table.sh --families >"$TAP_TMP/got"
is "docs/reference/kernels.md has the tables of docs/results/kernels.md (make docs-kernels)" \
	"$(diff docs/reference/kernels.md "$TAP_TMP/got")" ""
is "tests/guest/README.md lists each test once" "$(unlisted tests/guest 'test_*.sh')" ""
is "each file of docs/results states how its figures were made" "$(unexplained .)" ""
is "docs/results/README.md lists each file once" "$(unlisted docs/results '*.md')" ""
tap_end
