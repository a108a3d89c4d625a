#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Checks the tree against its FLOORS files. Files must not depend on each other in a circle, or
# include or call a file of a higher layer. FLOORS must list every folder. A file may use only some
# folders of other components. docs/design/architecture.md must name each folder, and each manual page
# its own name. The check first runs on a small tree with every fault, so it cannot pass a tree that it
# fails to read. tests/cli/references.sh checks all other names in documents.
#
# tests/floors.awk finds the dependencies. It reads includes and imports. In control/ and
# postprocess/ it reads the symbols of the objects in $BUILD, or the source text if the object is
# missing or older. In module/ it reads the names in the text.
. tests/tap.sh
tap_begin
here=$(pwd)
build=$(cd "${BUILD:-build}" 2>/dev/null && pwd)
components='module control postprocess templates/js'

# Prints the faults of the tree $1, whose objects are in $2, as "COMPONENT<tab>KIND<tab>TEXT".
faults()
{
	(
		cd "$1" || exit 1
		{
			find $components -type f ! -name '.*' ! -name '*~' ! -name '*.o' | sort | sed 's/^/file /'
			sed -n '/^CPPFLAGS/,/[^\\]$/p' Makefile | grep -o -e '-I[a-z][^ ]*' |
				sed 's/^-I/include /'
			# -I$(folder)/arch/$(SRCARCH): one of the folders in arch/
			grep -o -e '-I\$([^)]*)[^ ]*' module/Kbuild |
				sed 's/^-I\$([^)]*)/kinclude module/; s/\$(SRCARCH)/*/'
			grep -ho '/gen/[a-z0-9_./-]*' ./*/rules.mk | sed 's|^/gen/|made |'
			find control postprocess -name '*.c' | while read -r _source; do
				_object=$2/${_source%.c}.o
				[ ! -f "$_object" ] || [ "$_source" -nt "$_object" ] ||
					echo "fresh $_source"
			done
		} >"$TAP_TMP/list" 2>/dev/null
		_objects=$(sed -n "s|^fresh \(.*\)c\$|$2/\1o|p" "$TAP_TMP/list")
		: >"$TAP_TMP/symbols"
		[ -z "$_objects" ] || nm -A -P $_objects >"$TAP_TMP/symbols" || exit 1
		awk -v objects="$2/" -f "$here/tests/floors.awk" -f "$here/tests/floors_circles.awk" "$TAP_TMP/list" "$TAP_TMP/symbols" \
			$(find $components -name FLOORS 2>/dev/null) \
			$(sed -n 's/^file \(.*\.\([chS]\|def\|ts\)\)$/\1/p' "$TAP_TMP/list") ||
			printf 'module\tfloors\tawk failed\n'
	)
}

# Prints the folders of the tree $1 that docs/design/architecture.md does not name, and the manual pages
# whose file name differs from the name in them: "COMPONENT or man<tab>KIND<tab>TEXT"
missing()
{
	(
		cd "$1" || exit 1
		for _component in $components; do
			[ ! -f "$_component/FLOORS" ] || awk -v component="$_component" "$named_awk" "$_component/FLOORS" \
				docs/design/architecture.md
		done
		[ -d docs/reference/man ] || exit 0
		cd docs/reference/man || exit 1
		ls | sed -n 's/^\(.*\.[1-9]\)$/\1 \1/p' | cat - aliases | while read -r _name _page; do
			[ "$_name" != '#' ] || continue
			if [ ! -f "$_page" ]; then
				printf 'man\tman\t%s: no %s\n' "$_name" "$_page"
			elif [ "$_name" = "$_page" ]; then
				grep -qi "^\.TH \"\{0,1\}${_name%.*}[\" ]" "$_page" ||
					printf 'man\tman\t%s: its .TH is of another page\n' "$_page"
			fi
			sed 's/\\-/-/g' "$_page" 2>/dev/null | grep -qw -e "${_name%.*}" ||
				printf 'man\tman\t%s does not name %s\n' "$_page" "${_name%.*}"
		done
	)
}

# awk: prints each folder in the FLOORS of component component that docs/design/architecture.md does not name. The document
# may use the full path, or the folder alone in the section about the component.
named_awk='
NR == FNR { if ($0 !~ /^#/ && NF && $1 != ".") { sub(/\/$/, "", $1); sub(/\/\*$/, "", $1); want[$1] = FNR }; next }
/^#+ / {
	match($0, /^#+/)
	if (inside && RLENGTH <= level)
		inside = 0
	if (!inside && index($0, component "/") || component == "templates/js" && index($0, "templates/")) {
		inside = 1
		level = RLENGTH
	}
}
{
	for (folder in want) {
		last = folder
		sub(/.*\//, "", last)
		if (index($0, component "/" folder) ||
		    inside && ($0 ~ ("(^|[^A-Za-z0-9_-])" last "/") || folder ~ /\// &&
		    $0 ~ ("(^|[^A-Za-z0-9_-])" folder "([^A-Za-z0-9_-]|$)")))
			delete want[folder]
	}
}
END {
	for (folder in want)
		print component "\tnamed\t" component "/FLOORS:" want[folder] ": " folder "/ is not in docs/design/architecture.md"
}'

# --- the check itself, on a tree with every fault ---

. tests/cli/faulty_tree.inc
put Makefile 'CPPFLAGS += -DX \' '	-Imodule/uapi -Imodule -Icontrol -Ipostprocess -I$(BUILD)/gen'
put module/Kbuild 'ccflags-y := -I$(ku-src) -I$(ku-src)/arch/$(SRCARCH) -I$(ku-src)/uapi'
put module/FLOORS '# lowest first' 'uapi  what programs share with the module' 'arch/*  processors' 'core  the ring' \
	'names  names' 'session  sessions' 'gone  nothing' 'session  again' 'empty'
put module/uapi/abi.h '#pragma once' 'int ku_of_abi(void);' \
	'static inline int its_own(void) { return ku_of_abi(); }'
put module/session/of_abi.c 'int ku_of_abi(void)' '{' '}'
put module/arch/x86/clock.h 'int x86;'
put module/arch/arm/clock.h 'int arm;'
put module/core/clock.h 'int here_too;'
put module/core/ring.h '#include "abi.h"' 'struct ring { void (*route)(void); };' \
	'void ku_ring(struct ring *ring);' 'static inline int high(void) { return ku_session_high(); }'
put module/core/ring.c '#include "core/ring.h"' '#include "session/session.h"' '#include "nowhere.h"' \
	'/* ku_session_only() is in a comment */ void ku_ring(struct ring *ring)' '{' \
	'	ring->ku_session_only("ku_session_only()");' '	ku_session_route(); /* a */ }' \
	'static int ku_session_static(void)' '{' '	return 1;' '}' \
	'int ku_ring_2(void)' '{' '	return ku_session_static();' '}'
put module/core/emit.c 'void ku_emit(void)' '{' '	if (1)' '		ku_session_route();' '}'
put module/core/macro.h '#define call_high(x) \' '	call_higher(x)' '#define call_higher(x) ku_session_only(x)'
put module/core/macro.c 'int ku_macro(int a)' '{' '	return call_high(a);' '}'
put module/session/expands.c 'int ku_expands(int a)' '{' '	return call_high(a);' '}'
put module/core/take.c '#include "clock.h"'
put module/core/stem.c '#include "core/other.h"' 'int ku_stem(void)' '{' '	return 0;' '}'
put module/core/stem.h 'int ku_stem(void);'
put module/core/other.c 'int ku_other(void)' '{' '	return 1;' '}'
put module/core/other.h '#include "core/stem.h"' 'int ku_other(void);'
put module/session/session.h 'void ku_session_route(void);' 'int ku_session_high(void);'
put module/session/session.c '#include "core/ring.h"' 'void ku_session_route(void)' '{' '}' \
	'int ku_session_high(void)' '{' '}' 'void ku_session_only(void)' '{' '}' \
	'int ku_session_static(void)' '{' '}'
put module/names/first.c 'int ku_first;' 'void ku_one(void)' '{' '	ku_two();' '}'
put module/names/second.c 'void ku_two(void)' '{' '	ku_three(1);' '}'
put module/names/third.c 'DEFINE_PER_CPU(int, ku_cpu);' 'int ku_three(int a)' '{' '	return ku_first + a;' '}'
put module/names/third.h 'int ku_three(int a);'
put module/names/second_api.h 'void ku_two(void);'
put module/session/uses.c '#include "names/second_api.h"' 'void ku_uses(void)' '{' '	ku_two();' '}'
put module/extra/extra.c 'int ku_extra;'
put module/stray.c 'int ku_stray;'
put module/odd.h '#include "control/common/entry.h"'
put control/FLOORS 'common  for all' 'cli/part  a part' 'cli/whole  a whole' 'lib/base  basics' 'lib/top  above' 'cli  the tool'
put control/common/entry.h 'struct entry;'
put control/common/file.c '#include "lib/base/base.h"' 'int kc_file(void) { return 0; }'
put control/lib/base/base.h 'int kc_base(void);' 'int kc_low(void);'
put control/lib/base/base.c 'extern int kc_top(void);' 'int kc_base(void) { return kc_top(); }'
put control/lib/base/low.c '#include "lib/base/base.h"' 'extern int kc_unbuilt(void);' \
	'int kc_low(void) { return kc_unbuilt(); }'
put control/lib/base/open.h 'int kc_top(void);' 'static inline int kc_open(void) { return kc_top(); }'
put control/lib/base/opens.c '#include "lib/base/open.h"' 'int kc_opens(void) { return kc_open(); }'
put control/lib/top/tag.c 'int kc_tag(void) { return 0; }'
put control/lib/base/tag.c 'struct kc_tag *kc_untagged(void) { return 0; }'
put control/lib/top/top.c 'int kc_top(void);' 'int kc_top(void) { return 1; }'
put control/lib/top/unbuilt.c 'int kc_unbuilt(void) { return kc_low(); }'
put control/lib/top/one.c 'extern int kc_next(void);' 'int kc_prev(void) { return kc_next(); }'
put control/lib/top/two.c 'extern int kc_prev(void);' 'int kc_next(void) { return kc_prev(); }'
put control/cli/cli.c '#include "base/out.h"' '#include "core/ring.h"' '#include "uapi/abi.h"' 'int kc_cli;'
put control/cli/part/a.h 'int kc_a;'
put control/cli/whole/a.h 'int kc_whole;'
put control/dist/unit.service '[Unit]'
put control/rules.mk 'X := $(BUILD)/gen/made.inc'
put postprocess/FLOORS 'base  basics' 'tools  programs'
put postprocess/base/out.h '#include "common/entry.h"' '#include "made.inc"' 'int kp_out(void);'
put postprocess/base/out.c 'extern int kc_base(void);' 'int kp_out(void) { return kc_base(); }'
put postprocess/tools/tool.c '#include "base/out.h"' '#include "cli/cli.h"' 'int main(void) { return kp_out(); }'
put postprocess/tools/second.c '#include "base/out.h"' 'int main(void) { return kp_out(); }'
put control/cli/cli.h 'int kc_cli;'
put templates/js/FLOORS 'data  arrays' 'draw  pixels' '.  the whole'
put templates/js/data/load.ts "import {" "	line," "} from '../draw/line.ts';" 'export function load() {}'
put templates/js/data/kinds.ts "import type { Line } from '../draw/line.ts';" "import type {" "	Line," "} from '../draw/line.ts';" 'export const a = 1;' \
	"/*" " * import { b } from '../draw/line.ts';" " */"
put templates/js/draw/line.ts "import { a } from '../data/kinds.ts';" "export { b } from './paint.ts';"
put templates/js/draw/paint.ts "export const b = () => import('./line.ts');" "import '../../../tests/x.ts';"
put templates/js/main.ts "import { load } from './data/load.ts';" "import './nothing.ts';"
put templates/js/wild/wild.ts 'export {};'
put docs/design/architecture.md '# Map' \
	'## module/' 'uapi/ arch/ names/ session/' \
	'## control/ and' 'common/ base/ lib/top/ and cli/whole, but not cli/partly of kernel/gone/' '## postprocess/' 'base/ tools/' '## templates/' 'data/ draw/ and core/'
put docs/reference/man/good.1 '.TH GOOD 1' '.SH NAME' 'good \- is good'
put docs/reference/man/other.1 '.TH GOOD 1' '.SH NAME' 'other \- is not good'
put docs/reference/man/aliases '# names' 'lone.3 library.3' 'link.3 good.1'
# A source without an object, or newer than its object, is read as text.
for source in common/file lib/base/base lib/base/low lib/base/opens lib/top/top lib/top/one lib/top/two cli/cli; do
	mkdir -p "$bad/build/obj/control/$(dirname $source)"
	(cd "$bad" && echo "control/$source.c") >>"$TAP_TMP/sources"
done
for source in base/out tools/tool tools/second; do
	mkdir -p "$bad/build/obj/postprocess/$(dirname $source)"
	echo "postprocess/$source.c" >>"$TAP_TMP/sources"
done
mkdir -p "$bad/build/gen"
: >"$bad/build/gen/made.inc"
: >"$bad/nothing.h"
ok "a bad tree is compiled" sh -c 'cd "$1" && while read -r source; do
	${CC:-gcc} -c -w -Wno-implicit-function-declaration -Imodule/uapi -Imodule -Icontrol -Ipostprocess -Ibuild/gen -o "build/obj/${source%c}o" "$source" || exit 1
	done <"$2"' sh "$bad" "$TAP_TMP/sources"
touch -d '1 hour ago' "$bad/build/obj/control/lib/base/low.o"
faults "$bad" "$bad/build/obj" >"$TAP_TMP/got" 2>"$TAP_TMP/err"
missing "$bad" >>"$TAP_TMP/got" 2>>"$TAP_TMP/err"
is "reading the tree with every fault gives no other message" "$(cat "$TAP_TMP/err")" ""

newline='
'
# The check must report exactly these faults. Each circle is followed by one path around it.
tr -s '\t ' ' ' <"$TAP_TMP/got" | LC_ALL=C sort >"$TAP_TMP/found"
found=$newline$(cat "$TAP_TMP/found")$newline
while read -r line; do
	case $found in
	*"$newline$line$newline"*)
		pass "found: $line"
		;;
	*)
		fail "found: $line"
		;;
	esac
	printf '%s\n' "$line" >>"$TAP_TMP/expected"
done <<'EXPECTED'
control circle control/lib/base/low.c:2 uses kc_unbuilt of control/lib/top/unbuilt.c
control circle control/lib/top/one.c:1 uses kc_next of control/lib/top/two.c
control circle control/lib/top/two.c:1 uses kc_prev of control/lib/top/one.c
control circle control/lib/top/unbuilt.c:1 uses kc_low of control/lib/base/low.c
control circle a circle of 2 files: two.c one.c
control circle a circle of 2 files: unbuilt.c low.c
control folder control/dist/ (unit.service): not in FLOORS
control named control/FLOORS:2: cli/part/ is not in docs/design/architecture.md
control components control/cli/cli.c:1 includes postprocess/base/out.h
control components control/cli/cli.c:2 includes module/core/ring.h
control components control/common/file.c:1 includes control/lib/base/base.h: that folder serves other components, too
control up control/common/file.c:1 includes control/lib/base/base.h
control up control/lib/base/base.c:1 uses kc_top of control/lib/top/top.c
control up control/lib/base/opens.c uses kc_top of control/lib/top/top.c
control up control/lib/base/low.c:2 uses kc_unbuilt of control/lib/top/unbuilt.c
man man good.1 does not name link
man man library.3 does not name lone
man man lone.3: no library.3
man man other.1: its .TH is of another page
module circle module/core/other.h:1 includes module/core/stem.h
module circle module/core/ring.c:2 includes module/session/session.h
module circle module/core/stem.c:1 includes module/core/other.h
module circle module/names/first.c:4 uses ku_two of module/names/second.c
module circle module/names/second.c:3 uses ku_three of module/names/third.c
module circle module/names/third.c:4 uses ku_first of module/names/first.c
module circle module/session/session.c:1 includes module/core/ring.h
module circle a circle of 2 files: session.c ring.c
module circle a circle of 2 files: stem.c other.c
module circle a circle of 3 files: first.c third.c second.c
module floors module/FLOORS:8: session is listed twice
module floors module/FLOORS:9: empty: what is it for?
module folder module/FLOORS:7: gone: no such folder, or nothing in it
module folder module/FLOORS:9: empty: no such folder, or nothing in it
module folder module/extra/ (extra.c): not in FLOORS
module folder module/stray.c: outside any folder that FLOORS lists
module include module/core/ring.c:3: no "nowhere.h" anywhere
module include module/core/take.c:1: "clock.h" is module/core/clock.h and module/arch/arm/clock.h
module include module/core/take.c:1: "clock.h" is module/core/clock.h and module/arch/x86/clock.h
module include module/odd.h:1: no "control/common/entry.h" anywhere
module named module/FLOORS:4: core/ is not in docs/design/architecture.md
module named module/FLOORS:7: gone/ is not in docs/design/architecture.md
module named module/FLOORS:9: empty/ is not in docs/design/architecture.md
module up module/core/emit.c:4 uses ku_session_route of module/session/session.c
module up module/core/macro.c:3 uses ku_session_only of module/session/session.c
module up module/core/ring.c:2 includes module/session/session.h
postprocess components postprocess/base/out.c:1 uses kc_base of control/lib/base/base.c
postprocess components postprocess/tools/tool.c:2 includes control/cli/cli.h
templates/js circle templates/js/draw/line.ts:2 imports templates/js/draw/paint.ts
templates/js circle templates/js/draw/paint.ts:1 imports templates/js/draw/line.ts
templates/js circle a circle of 2 files: paint.ts line.ts
templates/js folder templates/js/wild/ (wild.ts): not in FLOORS
templates/js include templates/js/main.ts:2 imports templates/js/nothing.ts
templates/js components templates/js/draw/paint.ts:2 imports tests/x.ts
templates/js up templates/js/data/load.ts:3 imports templates/js/draw/line.ts
EXPECTED
is "nothing right is reported as a fault" "$(LC_ALL=C sort "$TAP_TMP/expected" | LC_ALL=C comm -13 - "$TAP_TMP/found")" ""
for component in $components; do
	rm "$bad/$component/FLOORS"
done
is "without FLOORS no fault is reported" "$(faults "$bad" "$bad/build/obj")" ""

# --- this tree ---

faults . "$build/obj" >"$TAP_TMP/got"
missing . >>"$TAP_TMP/got"

# none NAME COMPONENT KIND: passes if there is no fault of that kind.
none()
{
	awk -F '\t' -v component="$2" -v kind="$3" '$1 == component && $2 == kind { print $3 }' \
		"$TAP_TMP/got" >"$TAP_TMP/these"
	if [ -s "$TAP_TMP/these" ]; then
		fail "$1"
		sed 's/^/#   /' "$TAP_TMP/these" >&2
	else
		pass "$1"
	fi
}

for component in $components; do
	if [ ! -f "$component/FLOORS" ]; then
		skip "$component/" "$component/ has no FLOORS"
		continue
	fi
	none "$component/: FLOORS has each folder once, with what it is for" "$component" floors
	none "$component/: folders and files are where FLOORS says" "$component" folder
	none "$component/: every include and import leads to one file" "$component" include
	none "$component/: other components are used as agreed" "$component" components
	none "$component/: nothing uses what stands higher" "$component" up
	none "$component/: no circle of files" "$component" circle
	none "$component/: docs/design/architecture.md names every folder" "$component" named
done
none "each manual page has its file name as its name" man man
tap_end
