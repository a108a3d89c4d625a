#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ci
#
# Tests the reuse of earlier results (tests/reuse.inc, tests/guest/module_build.sh). A result may be
# reused only if it passed, is complete, and all inputs are the same.
. tests/tap.sh
tap_begin
here=$(pwd)
export XDG_CACHE_HOME=$TAP_TMP/cache
unset KUTRACE_FULL BAD

# Makes a test with two checks and a file, which logs each real run.
printf 'one\n' >"$TAP_TMP/source"
cat >"$TAP_TMP/inner" <<END
set -u
cd "$here"
. tests/tap.sh
. tests/keys.inc
. tests/reuse.inc
tap_begin
part()
{
	echo ran >>"$TAP_TMP/ran"
	is "first" x x
	ok "second" true
	[ -z "\${BAD-}" ] || "\$BAD" "third" "made up"
	cp "$TAP_TMP/source" "\$REUSED/product"
}
reuse inner part < <(files_key "$TAP_TMP/source"; tools_key "$TAP_TMP/tool")
cp "\$REUSED/product" "$TAP_TMP/product"
pass "afterwards"
tap_end
END
printf 'tool 1\n' >"$TAP_TMP/tool"
chmod +x "$TAP_TMP/tool"

# runs NAME NUMBER STATUS TAP-LINES: starts the test. Passes if the part has run NUMBER times so far, and the test has
# this exit status and these lines.
runs()
{
	local status=0
	bash "$TAP_TMP/inner" >"$TAP_TMP/out" 2>"$TAP_TMP/err" || status=$?
	is "$1: number of runs" "$(wc -l <"$TAP_TMP/ran")" "$2"
	is "$1: exit status" "$status" "$3"
	is "$1: reported tests" "$(grep -o '^[^#]*' "$TAP_TMP/out" | tr '\n' '|')" "$4"
	ok "$1: the stored file belongs to this source" cmp "$TAP_TMP/source" "$TAP_TMP/product"
}
once='ok 1 - first|ok 2 - second|ok 3 - afterwards|1..3|'
again='ok 1 - first (reused)|ok 2 - second (reused)|ok 3 - afterwards|1..3|'
BAD=fail runs "a failure" 1 1 'ok 1 - first|ok 2 - second|not ok 3 - third|ok 4 - afterwards|1..4|'
BAD=fail runs "a failure is not kept" 2 1 'ok 1 - first|ok 2 - second|not ok 3 - third|ok 4 - afterwards|1..4|'
BAD=skip runs "a skip" 3 0 'ok 1 - first|ok 2 - second|ok 3 - third |ok 4 - afterwards|1..4|'
runs "a skipped test is not stored" 4 0 "$once"
runs "the passed result is used" 4 0 "$again"
KUTRACE_FULL=1 runs "in full it runs" 5 0 "$once"
printf 'two\n' >"$TAP_TMP/source"
runs "another source" 6 0 "$once"
printf 'tool 2\n' >"$TAP_TMP/tool"
runs "another tool" 7 0 "$once"
rm "$TAP_TMP/tool"
runs "no tool" 8 0 "$once"
runs "no tool, again" 8 0 "$again"
printf 'one\n' >"$TAP_TMP/source"
printf 'tool 1\n' >"$TAP_TMP/tool"
chmod +x "$TAP_TMP/tool"
runs "the first inputs again" 8 0 "$again"
is "the cache has no incomplete entry" "$(ls -A "$XDG_CACHE_HOME/kutrace/passed" | grep -vc '^inner-[0-9a-f]*$')" 0

# Checks that a part that ends the test is not stored.
sed 's/is "first" x x/pass "first"; tap_end/' "$TAP_TMP/inner" >"$TAP_TMP/ends"
printf 'three\n' >"$TAP_TMP/source"
for i in 1 2; do
	is "a part that ends its test, $i" "$(bash "$TAP_TMP/ends" 2>/dev/null | tr '\n' '|')" 'ok 1 - first|1..1|'
done

# --- the module ---
kdir=$TAP_TMP/kernel
mkdir -p "$kdir/include/generated"
echo CONFIG_X=y >"$kdir/.config"
echo symvers >"$kdir/Module.symvers"
echo '#define UTS_RELEASE "1.2.3"' >"$kdir/include/generated/utsrelease.h"
cat >"$TAP_TMP/make" <<END
#!/bin/sh
# make --no-print-directory module KDIR=.. BUILD=..
build=\${4#BUILD=}
echo made >>"$TAP_TMP/made"
echo "x.c:1: warning: made up"
[ ! -f "$TAP_TMP/broken" ] || exit 2
case \$* in
*' M='*)
	# make --no-print-directory -C .. M=.. W=1 modules
	at=\${4#M=}
	cat "\$at/other.c" >"\$at/other.ko"
	echo symbols >"\$at/Module.symvers"
	exit
	;;
esac
mkdir -p "\$build/module/1.2.3"
cat "$kdir/.config" >"\$build/module/1.2.3/kutrace.ko"
echo symbols >"\$build/module/1.2.3/Module.symvers"
END
chmod +x "$TAP_TMP/make"
# builds NAME NUMBER STATUS: requests a build. Passes if make has run NUMBER times so far, and the exit status is STATUS.
builds()
{
	local status=0
	rm -rf "$TAP_TMP/build"
	KU_MAKE=$TAP_TMP/make tests/guest/module_build.sh "$kdir" 1.2.3 "$TAP_TMP/build" \
		>"$TAP_TMP/out" 2>&1 || status=$?
	is "module: $1: number of builds" "$(wc -l <"$TAP_TMP/made")" "$2"
	is "module: $1: exit status" "$status" "$3"
	like "module: $1: the compiler's messages are printed" "$(cat "$TAP_TMP/out")" '^x.c:1: warning: made up$'
	[ "$status" != 0 ] || ok "module: $1: it is of this kernel" \
		cmp "$kdir/.config" "$TAP_TMP/build/module/1.2.3/kutrace.ko"
	[ "$status" != 0 ] || is "module: $1: its symbols, for modules that use them" \
		"$(cat "$TAP_TMP/build/module/1.2.3/Module.symvers")" symbols
}
touch "$TAP_TMP/broken"
builds "a failed build" 1 2
rm "$TAP_TMP/broken"
builds "a failed build is not stored" 2 0
builds "a successful build is reused" 2 0
echo CONFIG_Y=y >>"$kdir/.config"
builds "another configuration is built" 3 0
KCFLAGS=-O1 builds "nor with other flags" 4 0
builds "the earlier configuration is reused" 4 0

# Builds the module of another folder.
mkdir "$TAP_TMP/other"
echo 'obj-m := other.o' >"$TAP_TMP/other/Kbuild"
# other NAME NUMBER: requests a build of the other module. Passes if make has run NUMBER times so far.
other()
{
	rm -rf "$TAP_TMP/build"
	ok "another module: $1" env KU_MAKE="$TAP_TMP/make" tests/guest/module_build.sh "$kdir" 1.2.3 \
		"$TAP_TMP/build" "" "$TAP_TMP/other"
	is "another module: $1: number of builds" "$(wc -l <"$TAP_TMP/made")" "$2"
	ok "another module: $1: it is of this source" \
		cmp "$TAP_TMP/other/other.c" "$TAP_TMP/build/module/1.2.3/other/other.ko"
}
echo 1 >"$TAP_TMP/other/other.c"
other "a new source is built" 5
other "the same source is reused" 5
echo 2 >"$TAP_TMP/other/other.c"
other "another source is built" 6
tap_end
