#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
#
# Tests `make static` with musl as the C library: it gives single-file programs that record and read
# traces on machines with another C library or none. They must print the same as the glibc programs.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
if ! command -v musl-gcc >/dev/null; then
	echo '1..0 # SKIP there is no musl-gcc: package musl-tools'
	exit 77
fi
programs='kutrace kutrace_control rawtoevent eventtospan checktrace spantowhy spantoprof spandiff kuod'
built $(printf "$BIN/%s " $programs)
if env -u MAKEFLAGS -u MFLAGS ${MAKE:-make} -s --no-print-directory BUILD="$TAP_TMP/musl" CC=musl-gcc static >"$OUT" 2>&1; then
	pass "make static"
else
	fail "make static" "$(tail -n 20 "$OUT")"
fi
is "without a warning" "$(grep -c -i warning "$OUT")" 0
musl=$TAP_TMP/musl/bin/static
is "these are built" "$(ls "$musl" | tr '\n' ' ')" "$(echo $programs | tr ' ' '\n' | sort | tr '\n' ' ')"
for program in $programs; do
	is "$program needs no library" "$(readelf -ld "$musl/$program" 2>&1 | grep -c 'INTERP\|NEEDED')" 0
	is "$program: --help" "$("$musl/$program" --help 2>&1)" "$("$BIN/$program" --help 2>&1)"
done

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/trace"
# both COMMAND: runs a line that calls the programs as $at/NAME, and compares the outputs.
both()
{
	at=$musl sh -c "$1" >"$TAP_TMP/musl.out" 2>"$TAP_TMP/musl.err"
	at=$BIN sh -c "$1" >"$TAP_TMP/glibc.out" 2>"$TAP_TMP/glibc.err"
	ok "the same output: $1" cmp "$TAP_TMP/musl.out" "$TAP_TMP/glibc.out"
	ok "the same messages: $1" cmp "$TAP_TMP/musl.err" "$TAP_TMP/glibc.err"
}
export TAP_TMP
both '$at/rawtoevent $TAP_TMP/trace | LC_ALL=C sort -n | $at/eventtospan title | sed "s/\"randomid.*//" | LC_ALL=C sort >$TAP_TMP/json; cat $TAP_TMP/json'
between "the spans" "$(wc -l <"$TAP_TMP/json")" 1000 10000000
both '$at/checktrace $TAP_TMP/trace'
both '$at/spantowhy <$TAP_TMP/json'
both '$at/spantoprof <$TAP_TMP/json'
both '$at/kuod $TAP_TMP/trace | head -n 1000'
both 'head -c 100000 $TAP_TMP/trace | $at/rawtoevent'
both '$at/rawtoevent $TAP_TMP/nowhere; echo $?'
# With musl, the cause of a failed write is not reported.
both '{ $at/rawtoevent $TAP_TMP/trace >/dev/full; echo $?; } 2>&1 | sed "s/: [^:]*$//"'
both '$at/kutrace_control status; echo $?'
for trigger in signal:TERM signal:NONE signal:31 'syscall:futex>1ms' 'exit!=0'; do
	both "\$at/kutrace_control start --trigger '$trigger'; echo \$?"
done
tap_end
