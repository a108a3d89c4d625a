#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
#
# Tests kutrace_point.h in programs. C and C++ compile it without a warning. A tracepoint that is
# off costs as much as the manual page states. Mistakes do not compile. Several source files and a
# plugin can share a tracepoint, and without the module the program continues.
. tests/tap.sh
tap_begin
BUILD=${BUILD:-build}
cc=${CC:-cc} cxx=${CXX:-c++}
warnings='-Wall -Wextra -Wshadow -Wconversion -Werror'
flags="-O2 -Imodule/uapi -Icontrol/include"
dir=$TAP_TMP

compile_c()	# STANDARD FILE
{
	# shellcheck disable=SC2086 # lists
	$cc -std="$1" $warnings $flags -Wmissing-prototypes -c "$2" -o "$dir/out.o"
}

compile_cxx()
{
	# shellcheck disable=SC2086 # lists
	$cxx -std="$1" $warnings $flags -c "$2" -o "$dir/out.o"
}

cat >"$dir/good.c" <<'SOURCE'
#include <stdbool.h>
#include <stddef.h>
#include "kutrace_point.h"
KUTRACE_POINT(disk_io, "dev=%u sector=%lu file=%s",
	      (uint32_t, dev), (uint64_t, sector), (const char *, file));
KUTRACE_POINT(nothing, "");
KUTRACE_POINT(plain, "no fields, 100%%");
KUTRACE_POINT(numbers, "%d %u %ld %llu %hd %hhu %c", (int, a), (unsigned int, b), (long, c),
	      (unsigned long long, d), (short, e), (unsigned char, f), (char, g));
KUTRACE_POINT(others, "%d %p %p %f %f %s %s", (bool, a), (void *, b), (const void *, c),
	      (float, d), (double, e), (char *, f), (const char *, g));
void off(uint32_t dev, uint64_t sector, const char *file);
void off(uint32_t dev, uint64_t sector, const char *file)
{
	kutrace_point_disk_io(dev, sector, file);
}
void all(char *text);
void all(char *text)
{
	kutrace_point_nothing();
	kutrace_point_plain();
	kutrace_point_numbers(1, 2, 3, 4, 5, 6, 'x');
	kutrace_point_others(true, text, text, 1.0f, 2.0, text, text);
}
SOURCE
cp "$dir/good.c" "$dir/good.cc"
# The example in the header, unchanged.
{
	echo '#include "kutrace_point.h"'
	sed -n '/^ \*\tKUTRACE_POINT(/,/);$/s/^ \*\t//p' module/uapi/kutrace_point.h
} >"$dir/shown.c"
like "the header shows a tracepoint" "$(cat "$dir/shown.c")" '^KUTRACE_POINT\(disk_io'
printf 'void call(void);\nvoid call(void)\n{\n\tkutrace_point_disk_io(1, 2, "x");\n}\n' >>"$dir/shown.c"
cp "$dir/shown.c" "$dir/shown.cc"
ok "the header's example compiles as C" compile_c c11 "$dir/shown.c"
ok "the header's example compiles as C++" compile_cxx c++17 "$dir/shown.cc"

# All installed headers, one by one and together, with the warnings that strict projects enable. kutrace_lib.h is for
# C++ only.
strict='-Wall -Wextra -pedantic -Wshadow -Wconversion'
headers=$(sed -n '/^KU_HEADERS/,/[^\\]$/p' control/rules.mk | grep -o '[a-z_]*\.h')
like "the list of installed headers has both folders" "${headers//$'\n'/ }" '^libkutrace.h .*kutrace_abi.h '
for header in $headers; do
	printf '#include "%s"\nextern int used;\n' "$header" >"$dir/one_${header%.h}.cc"
	[ "$header" = kutrace_lib.h ] || cp "$dir/one_${header%.h}.cc" "$dir/one_${header%.h}.c"
	printf '#include "%s"\n' "$header"
done >"$dir/all.inc"
{
	cat "$dir/all.inc" "$dir/good.c"
	# An empty format has fields that the compiler cannot check against it.
	printf 'KUTRACE_POINT(empty%s);\n' '_0, ""' '_1, "", (int, a)' '_2, "", (int, a), (double, b)'
} >"$dir/one_all.cc"
sed '/kutrace_lib/d' "$dir/one_all.cc" >"$dir/one_all.c"
warned()	# COMPILER SUFFIX: prints the warnings of all these sources
{
	local source

	for source in "$dir"/one_*."$2"; do
		# shellcheck disable=SC2086 # lists
		$1 $strict $flags -c "$source" -o "$dir/out.o" 2>&1 | grep -E 'warning:|error:'
	done | sort | uniq -c
}
for compiler in "gcc -std=c11" "gcc -std=gnu11" "clang -std=c11" "g++ -std=c++11" "g++ -std=c++17" \
	"clang++ -std=c++11" "clang++ -std=c++17"; do
	command -v "${compiler%% *}" >/dev/null || { skip "$compiler -pedantic" "there is no ${compiler%% *}"; continue; }
	case $compiler in *++*) suffix=cc ;; *) suffix=c ;; esac
	is "$compiler $strict" "$(warned "$compiler" "$suffix")" ""
done
# C++ projects also forbid casts in the style of C. kutrace_point.h is exempt: C and C++ share its inline functions,
# which have six casts between numbers, pointers and characters that only C++ could write differently. No header
# includes it.
rm "$dir"/one_kutrace_point.cc "$dir"/one_all.cc
{
	sed '/kutrace_point/d' "$dir/all.inc"
	cat <<-'SOURCE'
	void calls();
	void calls()
	{
		kutrace_info info;
		kutrace_mark_a("a");
		kutrace_mark_d(4);
		kutrace_get_info(&info);
		kutrace::mark_b("b");
		kutrace::addevent(1, 2);
	}
	SOURCE
} >"$dir/one_all.cc"
for compiler in "g++ -std=c++11" "g++ -std=c++20" "clang++ -std=c++11" "clang++ -std=c++20"; do
	command -v "${compiler%% *}" >/dev/null || { skip "$compiler -Wold-style-cast" "there is no ${compiler%% *}"; continue; }
	more=-Wold-style-cast
	case $compiler in clang*) ;; *) more="$more -Wuseless-cast" ;; esac
	is "$compiler $strict $more" "$(warned "$compiler $more" cc)" ""
done
# An older standard is refused, and the message contains the oldest standard that works.
printf '#include "kutrace_lib.h"\n' >"$dir/old.cc"
# shellcheck disable=SC2086 # lists
like "C++98 is refused with a message" "$($cxx -std=c++98 $flags -c "$dir/old.cc" -o "$dir/out.o" 2>&1)" 'kutrace_lib.h needs C\+\+11'

# --- tracepoints omitted by macros: no code and no data, but the compiler still checks the calls ---
cat >"$dir/left.c" <<'SOURCE'
#include "kutrace_point.h"
KUTRACE_POINT(alone, "a=%d", (int, a));
KUTRACE_POINT_IN(disk, disk_read, "a=%d", (int, a));
KUTRACE_POINT_DECLARE_IN(disk, disk_write, "text=%s", (const char *, text));
KUTRACE_POINT_DEFINE_IN(disk, disk_write);
void call(int a);
void call(int a)
{
	kutrace_point_alone(a);
	kutrace_point_disk_read(a);
	kutrace_point_disk_write("x");
}
SOURCE
cp "$dir/left.c" "$dir/left.cc"
# made DEFINE: prints the tracepoints in the object, found by its symbols and strings.
made()
{
	# shellcheck disable=SC2086 # lists
	$compiler $flags ${1:+-D$1} -Wall -Wextra -Werror -c "$source" -o "$dir/left.o" || return
	{ nm "$dir/left.o"; strings -a "$dir/left.o"; } | grep -oE 'alone|disk_(read|write)' | sort -u | tr '\n' ' '
	nm "$dir/left.o" | grep -q ' U kutrace_point_record' && echo calls
}
for compiler in "$cc -std=c11" "$cxx -std=c++11"; do
	source=$dir/left.c
	[ "$compiler" != "$cxx -std=c++11" ] || source=$dir/left.cc
	is "$compiler: the object has all tracepoints" "$(made)" "alone disk_read disk_write calls"
	is "$compiler: without all of them" "$(made KUTRACE_POINT_OFF)" ""
	is "$compiler: without a category" "$(made KUTRACE_POINT_OFF_disk)" "alone calls"
	is "$compiler: without one tracepoint" "$(made KUTRACE_POINT_OFF_disk_read)" "alone disk_write calls"
	is "$compiler: KUTRACE_POINT_OFF=0 omits nothing" "$(made KUTRACE_POINT_OFF=0)" "alone disk_read disk_write calls"
	# shellcheck disable=SC2086 # lists
	is "$compiler: the remaining code has no data, like a file without tracepoints" "$($compiler $flags -DKUTRACE_POINT_OFF -c "$source" -o "$dir/left.o" &&
		size -A "$dir/left.o" | awk '$1 ~ /^\.(data|bss|rodata|init_array|fini_array|text\.unlikely)/ { n += $2 } END { print n + 0 }')" 0
done
printf '#include "kutrace_point.h"\nKUTRACE_POINT(x, "%%s", (int, a));\n' >"$dir/wrong.c"
# shellcheck disable=SC2086 # lists
like "a wrong format is found in an omitted tracepoint" "$($cc $flags -DKUTRACE_POINT_OFF -Wall -c "$dir/wrong.c" -o "$dir/out.o" 2>&1)" \
	'warning: format'

for standard in c11 gnu11 c17; do
	ok "$standard: no warning" compile_c $standard "$dir/good.c"
done
for standard in c++11 gnu++11 c++17 c++20; do
	ok "$standard: no warning" compile_cxx $standard "$dir/good.cc"
done

# --- cost when off ---
# instructions_if_off: prints the instructions up to the first return, which run when the tracepoint is off, and
# the number of instructions before the first branch that access memory.
instructions_if_off()
{
	objdump -d --no-show-raw-insn "$dir/out.o" | awk '
		/<off>:$/ { inside = 1; next }
		!inside || $2 ~ /^(endbr64|nop.*)$/ { next }
		{ way = way $2 " " }
		$2 ~ /^j/ { branched = 1 }
		!branched && /\(/ { memory++ }
		$2 == "ret" || $2 == "retq" { exit }
		END { print way memory + 0 }'
}
if [ "$(uname -m)" = x86_64 ]; then
	for cc_off in "$cc" clang; do
		if ! command -v "$cc_off" >/dev/null; then
			skip "off ($cc_off): one load and a branch" "there is no $cc_off"
			continue
		fi
		for pic in -fno-pic -fPIC; do
			# shellcheck disable=SC2086 # lists
			$cc_off -std=c11 $flags $pic -c "$dir/good.c" -o "$dir/out.o"
			like "off ($cc_off $pic): one load and a branch ($(instructions_if_off))" "$(instructions_if_off)" \
				'^(cmpb|(movzbl|mov) test) jne ret 1$'
		done
	done
else
	skip "off: one load and a branch" "reads x86 code"
fi

# --- objects compiled for another layout ---
# Headers with another layout of the struct use another name for the object, so that files of two
# layouts cannot be linked together.
cat >"$dir/old.c" <<'SOURCE'
struct kutrace_point { const volatile unsigned char *flag; char more[40]; };
extern struct kutrace_point kutrace_point_obj_disk_io;
int main(void);
int main(void)
{
	return *kutrace_point_obj_disk_io.flag;
}
SOURCE
# shellcheck disable=SC2086 # lists
if $cc $flags "$dir/old.c" "$dir/good.c" -L"$BUILD/lib" -lkutrace -o "$dir/old" >"$dir/old.log" 2>&1; then
	fail "an object file of the layout before does not link" "it does"
else
	like "an object file of the layout before does not link" "$(cat "$dir/old.log")" \
		'undefined reference to .kutrace_point_obj_disk_io'
fi

# --- mistakes ---
refuses()	# NAME REGEX LINE...
{
	_name=$1
	_regex=$2
	shift 2
	printf '%s\n' '#include "kutrace_point.h"' "$@" >"$dir/bad.c"
	if compile_c c11 "$dir/bad.c" >"$dir/bad.log" 2>&1; then
		fail "does not compile: $_name" "it does"
	else
		like "does not compile: $_name" "$(cat "$dir/bad.log")" "$_regex"
	fi
}
refuses "a format for another type" 'format.*expects argument of type' \
	'KUTRACE_POINT(a, "%s", (int, x));'
refuses "a format with too few fields" "format.*expects a matching" 'KUTRACE_POINT(a, "%d %d", (int, x));'
refuses "a format with too many" 'too many arguments for format' 'KUTRACE_POINT(a, "%d", (int, x), (int, y));'
refuses "a struct" 'conversion to non-scalar|_Generic' 'struct s { int a; };' 'KUTRACE_POINT(a, "%d", (struct s, x));'
refuses "a pointer to anything" '_Generic' 'KUTRACE_POINT(a, "%p", (int *, x));'
refuses "eight fields" 'error' \
	'KUTRACE_POINT(a, "", (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h));'
refuses "a definition too long" 'too long a definition' \
	"KUTRACE_POINT(a, \"$(head -c 400 /dev/zero | tr '\0' x)\");"
refuses "a call with another number of arguments" 'too few arguments' \
	'KUTRACE_POINT(a, "%d", (int, x));' 'void f(void);' 'void f(void) { kutrace_point_a(); }'
refuses "a call with a text for a number" 'makes integer from pointer' \
	'KUTRACE_POINT(a, "%d", (int, x));' 'void f(void);' 'void f(void) { kutrace_point_a("x"); }'

# --- several files, a plugin, C++ ---
cat >"$dir/shared.h" <<'SOURCE'
#include "kutrace_point.h"
KUTRACE_POINT_DECLARE(shared, "n=%d", (int, n));
KUTRACE_POINT_DECLARE(shared_nothing, "");
#ifdef __cplusplus
extern "C"
#endif
void other(void);
SOURCE
cat >"$dir/main.c" <<'SOURCE'
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include "shared.h"
KUTRACE_POINT_DEFINE(shared);
KUTRACE_POINT_DEFINE(shared_nothing);
int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void (*hit)(void);
	int i;

	kutrace_point_shared(1);
	other();
	if (argc > 1 && !plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	if (plugin) {
		*(void **)&hit = dlsym(plugin, "hit");
		hit();
	}
	errno = 5;
	for (i = 0; i < 1000; i++)
		kutrace_point_shared_nothing();
	i = errno;
	printf("look %d\n", kutrace_points_look());
	if (plugin)
		dlclose(plugin);
	printf("look %d errno %d\n", kutrace_points_look(), i);
	return 0;
}
SOURCE
printf '#include "shared.h"\nvoid other(void)\n{\n\tkutrace_point_shared(2);\n}\n' >"$dir/other.cc"
printf '#include "kutrace_point.h"\nKUTRACE_POINT(plugged, "");\nvoid hit(void);\nvoid hit(void)\n{\n\tkutrace_point_plugged();\n}\n' >"$dir/plugin.c"
build()
{
	# shellcheck disable=SC2086 # lists
	$cc $warnings $flags -c "$dir/main.c" -o "$dir/main.o" &&
		$cxx -std=c++11 $warnings $flags -c "$dir/other.cc" -o "$dir/other.o" &&
		$cc $warnings $flags -fPIC -shared "$dir/plugin.c" -o "$dir/plugin.so" &&
		$cxx "$dir/main.o" "$dir/other.o" -L"$BUILD/lib" -Wl,-rpath,"$(realpath "$BUILD/lib")" \
			-lkutrace -ldl -o "$dir/main"
}
ok "a header, C and C++ files, and a plugin" build
if [ -e /dev/kutrace/control ]; then
	expect='^look [23]'
else
	expect='^look -19 errno 5$'
fi
like "the program runs with and without the module" "$("$dir/main" "$dir/plugin.so" 2>&1)" "$expect"
# shellcheck disable=SC2086 # lists
$cc $flags "$dir/main.o" "$dir/other.o" -static "$BUILD/lib/libkutrace.a" -lpthread -o "$dir/static" \
	2>"$dir/static.log" || diag "$(cat "$dir/static.log")"
like "the same with static linking" "$("$dir/static" 2>&1)" "$expect"
tap_end
