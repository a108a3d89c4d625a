#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests samptoname: the common checks, kernel names, and user names of a program that prints its
# own addresses: inlined functions, separate debug files, another root folder.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/samptoname
GOOD=$DATA/good.json
if [ ! -x "$TOOL" ]; then
	skip "samptoname" "not built: no libdw-dev"
	tap_end
fi
common_checks samptoname "$GOOD"
run "$GOOD" "$TOOL"
ok "without samples every byte stays" cmp "$OUT" "$GOOD"

# sample EVENT PID ADDRESS...: prints a trace with a sample at each address.
sample()
{
	sed -n '1,/^"events"/p' "$GOOD"
	_event=$1
	_pid=$2
	shift 2
	for _address; do
		printf '[ 11.00000100, 0.00000100, 0, %s, 0, %s, 7, 0, 0, "PC=%s"],\n' "$_pid" "$_event" "$_address"
	done
	tail -n 2 "$GOOD"
}
names() { sed -n 's/.*"PC=\(.*\)"\],$/\1/p' "$OUT" | tr '\n' ' '; }

cat >"$TAP_TMP/kallsyms" <<'X'
ffffffff81001000 t second
0000000000001000 A percpu
ffffffff81000000 T _first
ffffffff81000800 D data
ffffffffc0001000 t in_module	[ext4]
ffffffffc0002000 t last	[ext4]
X
sample 641 51 ffffffff81000000 ffffffff81000fff 81001000 ffffffff81001000 ffff81000900 ffffffffc0001abc ffffffffc0002000 ffffffff80000000 \
	>"$TAP_TMP/kernel.json"
run "$TAP_TMP/kernel.json" "$TOOL" --kallsyms "$TAP_TMP/kallsyms"
is "kernel: names by address, also of modules; none outside" "$(names)" \
	"_first _first 81001000 second _first in_module ffffffffc0002000 ffffffff80000000 "
like "how many" "$(cat "$ERR")" "^samptoname: 5 of 8 PC samples have names"
is "the other output is unchanged" "$(sed 's/PC=[^"]*//' "$OUT")" "$(sed 's/PC=[^"]*//' "$TAP_TMP/kernel.json")"
sed 's/^[0-9a-f]*/0000000000000000/' "$TAP_TMP/kallsyms" >"$TAP_TMP/zeros"
run "$TAP_TMP/kernel.json" "$TOOL" --kallsyms "$TAP_TMP/zeros"
expect "kallsyms as users see it" 1 "^samptoname: .*zeros: all its addresses are 0; copy /proc/kallsyms as root"
silent "kallsyms as users see it: no output"
run "$TAP_TMP/kernel.json" "$TOOL" --kallsyms "$GOOD"
expect "no kallsyms" 1 "^samptoname: .*good.json: line 1 is not a line of kallsyms"
run "$TAP_TMP/kernel.json" "$TOOL" --maps all "$GOOD"
expect "no maps" 1 "^samptoname: .*good.json: no maps of a process"
run "$TAP_TMP/kernel.json" "$TOOL" --maps x "$TAP_TMP/kallsyms"
expect "no pids" 1 "^samptoname: --maps: needs pids"
run "$TAP_TMP/kernel.json" "$TOOL" --maps all
expect "--maps without a file" 2 "^samptoname: --maps needs pids and a file"
run "$TAP_TMP/kernel.json" "$TOOL" --kallsyms -
expect "--kallsyms -" 2 "^samptoname: standard input has the JSON"
run /dev/null "$TOOL" x.json
expect "a file" 2 "^samptoname: unexpected argument x.json; the JSON is read from standard input: samptoname \.\.\. <x.json$"
set --
for i in 1 2 3 4 5 6 7 8 9; do
	cp "$TAP_TMP/kallsyms" "$TAP_TMP/kallsyms.$i"
	set -- "$@" --kallsyms "$TAP_TMP/kallsyms.$i"
done
cp "$TAP_TMP/kernel.json" "$TAP_TMP/tenth"
for to in kallsyms.9 tenth; do
	run "$TAP_TMP/tenth" "$TOOL" "$@" -o "$TAP_TMP/$to"
	expect "-o $to is one of ten inputs" 1 '^samptoname: cannot write .*: it is the file that is read; give another name'
done
ok "-o does not change the inputs" cmp "$TAP_TMP/kallsyms.9" "$TAP_TMP/kallsyms"

# a program that prints addresses inside its functions, and then its maps
mkdir -p "$TAP_TMP/app"
cat >"$TAP_TMP/app/prog.c" <<'X'
#include <stdio.h>
static inline __attribute__((always_inline)) unsigned long deepest(void)
{
	unsigned long here;
	__asm__ volatile("lea 1f(%%rip), %0\n1:\tnop" : "=r"(here));
	return here;
}
static inline __attribute__((always_inline)) unsigned long middle(void) { return deepest(); }
__attribute__((noinline)) unsigned long plain(void)
{
	unsigned long here;
	__asm__ volatile("lea 1f(%%rip), %0\n1:\tnop" : "=r"(here));
	return here;
}
__attribute__((noinline)) unsigned long holder(void) { return middle() + 0; }
int main(void)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	printf("%012lx %012lx\n", holder(), plain());
	while (fgets(line, sizeof(line), maps))
		fputs(line, stdout);
	return 0;
}
X
if ! ${CC:-cc} -O2 -g "$TAP_TMP/app/prog.c" -o "$TAP_TMP/app/prog" 2>/dev/null; then
	skip "user addresses" "no compiler"
	tap_end
fi
"$TAP_TMP/app/prog" >"$TAP_TMP/said"
sed 1d "$TAP_TMP/said" >"$TAP_TMP/maps"
# shellcheck disable=SC2046 # two words
sample 640 51 $(head -n 1 "$TAP_TMP/said") 000000000010 >"$TAP_TMP/user.json"
run "$TAP_TMP/user.json" "$TOOL" --maps 50,51 "$TAP_TMP/maps"
is "user: functions with inlined functions" "$(names)" "holder>middle>deepest plain 000000000010 "
run "$TAP_TMP/user.json" "$TOOL" --maps all "$TAP_TMP/maps"
like "user: maps for all" "$(names)" "^holder>middle>deepest plain "
run "$TAP_TMP/user.json" "$TOOL" --maps 52 "$TAP_TMP/maps"
unlike "user: not another process's" "$(names)" "holder"
run "$TAP_TMP/user.json" "$TOOL" --kallsyms "$TAP_TMP/kallsyms" --maps 51 "$TAP_TMP/maps"
like "user and kernel at once" "$(names)" "^holder>middle>deepest plain "

# --- files that scripts of KUtrace 3 (Sites) collect: the maps of all processes in one file ---
read -r holder _ <"$TAP_TMP/said"
head -n 1 "$TAP_TMP/maps" | sed 's/ .*/ r-xp 00000000 00:00 0/' >"$TAP_TMP/other"
{
	printf '\n==== /proc/7/maps\n\n==== /proc/40/maps\n'
	cat "$TAP_TMP/other"
	printf '\n==== /proc/51/maps\n'
	cat "$TAP_TMP/maps"
	printf '\n==== /proc/60/maps\n'
	cat "$TAP_TMP/other"
} >"$TAP_TMP/collected"
# the file is from a shell whose echo prints \n unchanged
sed -e '/^$/d' -e 's/^====/\\n====/' "$TAP_TMP/collected" >"$TAP_TMP/collected.bash"
for pid in 51:holder\> 58:holder\> 60: 63: 40: 50: 72: 7:; do
	sample 640 "${pid%:*}" "$holder" >"$TAP_TMP/of.json"
	for file in collected collected.bash; do
		run "$TAP_TMP/of.json" "${TOOL}_u" "$TAP_TMP/$file"
		is "samptoname_u $file: thread ${pid%:*}" "$STATUS: $(names | grep -o '^holder>' || true)" "0: ${pid#*:}"
	done
done
run "$TAP_TMP/user.json" "$TOOL" --maps all "$TAP_TMP/collected"
is "--maps all FILE is the same" "$(names)" "holder>middle>deepest plain 000000000010 "
run "$TAP_TMP/user.json" "$TOOL" --maps 51 "$TAP_TMP/collected"
expect "a collection is not one process's" 1 '^samptoname: .*collected: maps of several processes: --maps all is for these'
run "$TAP_TMP/user.json" "${TOOL}_u" "$TAP_TMP/other" "$TAP_TMP/collected"
is "samptoname_u: several files" "$STATUS: $(names)" "0: holder>middle>deepest plain 000000000010 "

# all_names NAME FILE...: passes if samptoname_u finds the names of thread 51 with the files.
all_names()
{
	local name=$1
	shift
	run "$TAP_TMP/user.json" "${TOOL}_u" "$@"
	is "$name" "$STATUS: $(names)" "0: holder>middle>deepest plain 000000000010 "
}
# The command of KUtrace 3 also collects /proc/self and /proc/thread-self.
cp "$TAP_TMP/collected" "$TAP_TMP/self"
ls /proc/[s]elf/maps /proc/[t]hread-self/maps | xargs -I % sh -c 'echo "\n====" %; cat %' >>"$TAP_TMP/self"
all_names "a collection with /proc/self and /proc/thread-self" "$TAP_TMP/self"
unlike "no line of these files is reported" "$(cat "$ERR")" "left out"
# a kernel thread or a zombie has no maps
sed 's/^==== .*\/60\/.*/==== \/proc\/53\/maps\n\n&/' "$TAP_TMP/collected" >"$TAP_TMP/zombie"
for pid in 54:holder\> 53:; do
	sample 640 "${pid%:*}" "$holder" >"$TAP_TMP/of.json"
	run "$TAP_TMP/of.json" "${TOOL}_u" "$TAP_TMP/zombie"
	is "process 53 without maps: thread ${pid%:*}" "$STATUS: $(names | grep -o '^holder>' || true)" "0: ${pid#*:}"
done
# A wrong line must not affect other lines.
lines=$(wc -l <"$TAP_TMP/collected")
{ cat "$TAP_TMP/collected"; echo garbage; } >"$TAP_TMP/broken"
all_names "a collection with other text in it" "$TAP_TMP/broken"
like "a collection with other text in it: the message names the line" "$(cat "$ERR")" \
	"^samptoname_u: .*broken: left out 1 line that is no part of a process's maps: line $((lines + 1))\$"
{ echo 'Script started'; cat "$TAP_TMP/collected"; echo 'cat: /proc/88/maps: No such file or directory'; } >"$TAP_TMP/broken"
all_names "other text before the first process" "$TAP_TMP/broken"
like "other text before the first process: the message counts the lines" "$(cat "$ERR")" \
	"^samptoname_u: .*broken: left out 2 lines that are no part of a process's maps: the first is line 1\$"
{ cat "$TAP_TMP/other" "$TAP_TMP/collected"; printf '==== /proc/90/maps\n7f0000000000-7f00'; } >"$TAP_TMP/broken"
all_names "maps before the first process, and a last line that is cut off" "$TAP_TMP/broken"
like "the message counts both" "$(cat "$ERR")" ": left out 2 lines .*: the first is line 1\$"
{ printf '\357\273\277'; sed -e 1d -e 's/====/& /' "$TAP_TMP/collected"; } >"$TAP_TMP/bom"
all_names "a byte order mark, and two blanks in the headings" "$TAP_TMP/bom"
unlike "no line is omitted" "$(cat "$ERR")" "left out"
sed 's/$/\r/' "$TAP_TMP/collected" >"$TAP_TMP/crlf"
all_names "a collection with CRLF" "$TAP_TMP/crlf"
sed 's/$/\r/' "$TAP_TMP/maps" >"$TAP_TMP/crlf"
all_names "maps with CRLF" "$TAP_TMP/crlf"
printf '\n\n' >"$TAP_TMP/lines"
run "$TAP_TMP/user.json" "${TOOL}_u" "$TAP_TMP/lines"
expect "empty lines are no maps" 0 '^samptoname_u: 0 of 3 PC samples have names'
printf 'a\nb\n' >"$TAP_TMP/lines"
run "$TAP_TMP/user.json" "${TOOL}_u" "$TAP_TMP/lines"
expect "only other text" 1 '^samptoname_u: .*lines: no maps of a process: line 1 is not a line of maps$'
for tool in samptoname_u samptoname_k; do
	run "$TAP_TMP/user.json" "$BIN/$tool"
	expect "$tool without a file" 2 "^$tool: needs the name of a file"
	run "$TAP_TMP/user.json" "$BIN/$tool" --root /
	expect "$tool with --root only" 2 "^$tool: needs the name of a file"
done
# Makes more programs than the process may have open files. Their samples come in several rounds.
mkdir "$TAP_TMP/many"
for i in $(seq 40); do
	cp "$TAP_TMP/app/prog" "$TAP_TMP/many/$i"
	printf '==== /proc/%s/maps\n' $((100 * i))
	sed "s|$TAP_TMP/app/prog|$TAP_TMP/many/$i|" "$TAP_TMP/maps"
done >"$TAP_TMP/many.maps"
{ sed -n '1,/^"events"/p' "$GOOD"
	read -r _ plain <"$TAP_TMP/said"
	for at in "$holder" "$plain"; do
		for i in $(seq 40); do
			printf '[ 11.00000100, 0.00000100, 0, %s, 0, 640, 7, 0, 0, "PC=%s"],\n' $((100 * i)) "$at"
		done
	done
	tail -n 2 "$GOOD"; } >"$TAP_TMP/many.json"
for limit in 24 1024; do
	run "$TAP_TMP/many.json" prlimit --nofile=$limit "${TOOL}_u" "$TAP_TMP/many.maps"
	expect "40 programs, at most $limit open files" 0 '^samptoname_u: 80 of 80 PC samples have names'
done
rm "$TAP_TMP/many/7" "$TAP_TMP/many/8"
mkdir "$TAP_TMP/many/8"
run "$TAP_TMP/many.json" "${TOOL}_u" "$TAP_TMP/many.maps"
expect "two files are gone: the samples without a name" 0 '^samptoname_u: 76 of 80 PC samples have names'
like "two files are gone: a message" "$(cat "$ERR")" \
	"^samptoname_u: cannot read 2 files of the maps; the first: $TAP_TMP/many/7: No such file or directory\$"
{ cat "$TAP_TMP/collected"; printf '\0'; cat "$TAP_TMP/collected"; } >"$TAP_TMP/zero"
run "$TAP_TMP/user.json" "${TOOL}_u" "$TAP_TMP/zero"
expect "a collection with a byte 0" 1 '^samptoname_u: .*zero: no maps of a process: it has a byte 0'
run "$TAP_TMP/kernel.json" "${TOOL}_k" "$TAP_TMP/kallsyms"
is "samptoname_k FILE is --kallsyms FILE" "$(names)" \
	"_first _first 81001000 second _first in_module ffffffffc0002000 ffffffff80000000 "

cp "$TAP_TMP/app/prog" "$TAP_TMP/whole"
if command -v objcopy >/dev/null; then
	objcopy --only-keep-debug "$TAP_TMP/whole" "$TAP_TMP/prog.debug"
	strip "$TAP_TMP/app/prog"
	run "$TAP_TMP/user.json" "$TOOL" --maps 51 "$TAP_TMP/maps"
	unlike "stripped: no names" "$(names)" "holder"
	mkdir "$TAP_TMP/app/.debug"
	mv "$TAP_TMP/prog.debug" "$TAP_TMP/app/.debug"
	objcopy --add-gnu-debuglink="$TAP_TMP/app/.debug/prog.debug" "$TAP_TMP/app/prog"
	run "$TAP_TMP/user.json" "$TOOL" --maps 51 "$TAP_TMP/maps"
	like "a separate debug file by its link" "$(names)" "^holder>middle>deepest plain "
	id=$(readelf -n "$TAP_TMP/whole" | sed -n 's/.*Build ID: //p')
	if [ -n "$id" ]; then
		mkdir -p "$TAP_TMP/debug/.build-id/${id%"${id#??}"}"
		mv "$TAP_TMP/app/.debug/prog.debug" "$TAP_TMP/debug/.build-id/${id%"${id#??}"}/${id#??}.debug"
		run "$TAP_TMP/user.json" "$TOOL" --debug "$TAP_TMP/debug" --maps 51 "$TAP_TMP/maps"
		like "a separate debug file by build id" "$(names)" "^holder>middle>deepest plain "
	else
		skip "a separate debug file by build id" "the compiler makes none"
	fi
else
	skip "separate debug files" "no objcopy"
fi

# in a container, the path exists only under its root, through an absolute link
mkdir -p "$TAP_TMP/root/opt/real"
cp "$TAP_TMP/whole" "$TAP_TMP/root/opt/real/prog"
ln -s /opt/real "$TAP_TMP/root/opt/link"
sed "s|$TAP_TMP/app/prog|/opt/link/prog|" "$TAP_TMP/maps" >"$TAP_TMP/inside"
run "$TAP_TMP/user.json" "$TOOL" --maps 51 "$TAP_TMP/inside"
unlike "a container's path outside of it" "$(names)" "holder"
run "$TAP_TMP/user.json" "$TOOL" --root "$TAP_TMP/root" --maps 51 "$TAP_TMP/inside"
like "under its root, by an absolute link" "$(names)" "^holder>middle>deepest plain "
rm "$TAP_TMP/root/opt/real/prog"
mkfifo "$TAP_TMP/root/opt/real/prog"
LIMIT=10 run "$TAP_TMP/user.json" "$TOOL" --root "$TAP_TMP/root" --maps 51 "$TAP_TMP/inside"
is "a path that is not a file is not opened" "$STATUS" 0
run "$TAP_TMP/user.json" "$TOOL" --root /nonexistent --maps 51 "$TAP_TMP/inside"
expect "no such root" 1 "^samptoname: .*root /nonexistent: No such file"
tap_end
