#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
#
# Tests the steps from `make` to the README's first trace. The README names every package that the
# build needs. `make` without a target also builds the page. `make tools` builds the tools whose
# libraries are installed, and names the tools that it does not build. `make install` builds nothing
# and reports tools that are not built. The README's commands that turn a trace into a page work as
# written, with installed programs and with programs in the build folder.
. tests/tap.sh
tap_begin
build=$(realpath "${BUILD:-build}")

# --- the packages that the README names ---
named=$(sed -n 's/^    sudo apt-get install //p' README.md)
for package in $(tests/deps.sh --list tools) esbuild; do
	case $package in
	libc6-dev | linux-libc-dev | binutils) continue ;;	# installed with gcc
	esac
	is "README names $package" "$(tr ' ' '\n' <<<"$named" | grep -Fx "$package")" "$package"
done
like "README names the package that a module needs" "$named" 'linux-headers-\$\(uname -r\)'

# --- make alone ---
like "make alone builds the page" "$(make -n BUILD="$TAP_TMP/plan" 2>&1)" 'templates/build\.sh'
unlike "make tools does not build the page" "$(make -n BUILD="$TAP_TMP/plan" tools 2>&1)" 'templates/build\.sh'

# --- make tools without the libraries that only some tools need ---
# The headers of these libraries do not compile, and pkg-config finds none of the libraries. With KUTRACE_FAST (make
# check), only the objects that depend on these libraries are compiled again.
mkdir -p "$TAP_TMP/stub/elfutils" "$TAP_TMP/stub/babeltrace2" "$TAP_TMP/stub/protobuf-c"
for header in libdeflate.h elfutils/libdwfl.h sqlite3.h zstd.h babeltrace2/babeltrace.h protobuf-c/protobuf-c.h; do
	echo '#error' >"$TAP_TMP/stub/$header"
done
printf '#!/bin/sh\nexit 1\n' >"$TAP_TMP/stub/pkg-config"
chmod +x "$TAP_TMP/stub/pkg-config"
mkdir "$TAP_TMP/few"
if [ -n "${KUTRACE_FAST-}" ]; then
	cp -a "$build/obj" "$build/gen" "$TAP_TMP/few/"
	rm -rf "$TAP_TMP/few/obj/postprocess/page/pack.o" "$TAP_TMP/few/obj/control/crash/kdump.o" "$TAP_TMP/few/obj/postprocess/interop" \
		"$TAP_TMP/few/obj/postprocess/report/sym_user.o"
fi
ccache=
! command -v ccache >/dev/null || ccache=ccache
few=(env -u MAKEFLAGS -u MFLAGS CCACHE_DIR="${XDG_CACHE_HOME:-$HOME/.cache}/kutrace/ccache" CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$PWD" make --no-print-directory BUILD="$TAP_TMP/few" CC="$ccache cc -I$TAP_TMP/stub")
"${few[@]}" PKG_CONFIG="$TAP_TMP/stub/pkg-config" tools >"$TAP_TMP/out" 2>"$TAP_TMP/err"
is "no other library: exit status of make tools" $? 0
grep -A3 error "$TAP_TMP/err" | head -n 20
last=$(tail -n 1 "$TAP_TMP/out")
for left in 'samptoname \(libdw\)' 'rawtosqlite \(sqlite3\)' 'rawtoparquet .*\(libzstd\)' 'ctftoevent \(babeltrace2\)' \
	'perfettotoevent \(libprotobuf-c\)' 'packing of pages \(libdeflate\)'; do
	like "the last line of make tools names $left" "$last" "^make: left out: .*$left"
done
is "without pkg-config, the compiler finds no library either" "$("${few[@]}" PKG_CONFIG=/nonexistent -n tools 2>/dev/null | grep -c "echo 'make: left out: .*samptoname (libdw).*ctftoevent (babeltrace2)")" 1
is "the tools without their library are not built" "$(cd "$TAP_TMP/few/bin" && ls samptoname rawtosqlite rawtoparquet ctftoevent perfettotoevent 2>/dev/null)" ""
is "programs that need more than glibc and zlib" "$(for tool in "$TAP_TMP"/few/bin/*; do ldd "$tool"; done |
	sed -n 's/^\t\([a-z0-9_.-]*\.so\)[^/]*.*/\1/p' | grep -v '^\(linux-vdso\|libc\|libz\|libm\)\.so' | sort -u)" ""
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/slow.trace"
for bin in "$TAP_TMP/few/bin" "$build/bin"; do
	PATH=$bin:/usr/bin:/bin bash -o pipefail -c 'rawtoevent "$1" | eventtospan t | LC_ALL=C sort | spantospan 1 | spantotrim 0 |
		makeself "$2"' - "$TAP_TMP/slow.trace" tests/data/template.html >"$TAP_TMP/${bin//\//.}.html" 2>"$TAP_TMP/err"
	is "$bin: the pipeline makes a page" $? 0
	"$bin/unmakeself" <"$TAP_TMP/${bin//\//.}.html" >"$TAP_TMP/${bin//\//.}.json" 2>/dev/null
done
between "the page has the spans" "$(wc -l <"$TAP_TMP/${bin//\//.}.json")" 100 10000000
bin=$TAP_TMP/few/bin
ok "zlib and libdeflate pack the same spans" cmp "$TAP_TMP/${bin//\//.}.json" "$(bin=$build/bin && echo "$TAP_TMP/${bin//\//.}.json")"
unlike "with all libraries, make tools leaves nothing out" "$(make -n BUILD="$TAP_TMP/plan" tools 2>&1)" 'left out'

# --- make install ---
install()	# BUILD ROOT: runs make install with compilers that fail
{
	make --no-print-directory BUILD="$1" DESTDIR="$2" PREFIX=/usr CC=false CXX=false \
		install >"$TAP_TMP/out" 2>"$TAP_TMP/err"
}
install "$TAP_TMP/none" "$TAP_TMP/root"
is "make install, nothing is built: exit status" $? 2
like "make install, nothing is built: the message names the remedy" "$(cat "$TAP_TMP/err")" \
	'^make install: .*/none/.* is not built: make first, not as root$'
ok "make install, nothing is built: it builds nothing" test ! -e "$TAP_TMP/none"
ok "make install, nothing is built: it installs nothing" test ! -e "$TAP_TMP/root"

# Copies the built files and makes them older than their sources. If the page is not built, a small file replaces it.
mkdir -p "$TAP_TMP/b/templates"
cp -a "$build/bin" "$build/lib" "$TAP_TMP/b/"
cp "$build/templates/show_cpu.html" "$TAP_TMP/b/templates/" 2>/dev/null ||
	cp tests/data/template.html "$TAP_TMP/b/templates/show_cpu.html"
find "$TAP_TMP/b" -exec touch -h -d '2001-01-01' {} +
find "$TAP_TMP/b" -printf '%p %T@\n' | sort >"$TAP_TMP/before"
install "$TAP_TMP/b" "$TAP_TMP/root"
is "make install: exit status" $? 0
find "$TAP_TMP/b" -printf '%p %T@\n' | sort >"$TAP_TMP/after"
ok "make install: it builds nothing" cmp "$TAP_TMP/before" "$TAP_TMP/after"
ok "make install: kutrace_control" test -x "$TAP_TMP/root/usr/bin/kutrace_control"
for tool in rawtoevent eventtospan makeself rawtohtml; do
	ok "make install: $tool" test -x "$TAP_TMP/root/usr/lib/kutrace/bin/$tool"
done
# Other packages may own names that do not begin with kutrace, such as makeself.
is "PREFIX=/usr: names in usr/bin that are not ours" "$(cd "$TAP_TMP/root/usr/bin" && ls | grep -v '^kutrace')" ""
is "PREFIX=/usr: manual pages with such names" "$(cd "$TAP_TMP/root/usr/share/man/man1" && ls | grep '\.1$' | grep -v '^kutrace')" ""
like "PREFIX=/usr: the page of makeself" "$(head -n 9 "$TAP_TMP/root/usr/share/man/man1/makeself.1kutrace")" '\.TH MAKESELF 1kutrace '
is "PREFIX=/usr: the page of another name" "$(cat "$TAP_TMP/root/usr/share/man/man1/eventtospan3.1kutrace")" ".so man1/eventtospan.1kutrace"
found=$(env PATH=/usr/bin:/bin "$TAP_TMP/root/usr/bin/kutrace_control" doctor --json | sed -n 's/.*"name": "page".*made by \([^;,"]*\).*/\1/p')
is "PREFIX=/usr: kutrace_control finds rawtohtml" "$(realpath "${found:-none}")" "$(realpath "$TAP_TMP")/root/usr/lib/kutrace/bin/rawtohtml"
make --no-print-directory BUILD="$TAP_TMP/b" DESTDIR="$TAP_TMP/local" CC=false CXX=false install >/dev/null 2>"$TAP_TMP/err"
is "PREFIX=/usr/local: all programs are in bin" "$(cd "$TAP_TMP/local/usr/local/bin" && ls)" "$(cd "$TAP_TMP/root/usr" && ls bin lib/kutrace/bin | grep -v ':$\|^$' | sort)"
is "PREFIX=/usr/local: sections of manual pages" "$(find "$TAP_TMP/local/usr/local/share/man/man1" -type f | sed 's/.*\.//' | sort -u)" 1
is "with DESTDIR: nothing about the loader" "$(cat "$TAP_TMP/err")" ""
ok "make install: the page" cmp "$TAP_TMP/b/templates/show_cpu.html" \
	"$TAP_TMP/root/usr/share/kutrace/show_cpu.html"

# --- packages of two architectures on one machine; a folder in which programs must find the library ---
for folder in /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu; do
	make --no-print-directory BUILD="$TAP_TMP/b" DESTDIR="$TAP_TMP/at$folder" PREFIX=/usr LIBDIR="$folder" CC=false CXX=false install-control >/dev/null 2>&1
done
ok "headers and kutrace_lib.cc are the same for two architectures" diff -r "$TAP_TMP/at/usr/lib/x86_64-linux-gnu/usr/include" \
	"$TAP_TMP/at/usr/lib/aarch64-linux-gnu/usr/include"
(umask 077 && make --no-print-directory BUILD="$TAP_TMP/b" PREFIX="$TAP_TMP/own" CC=false CXX=false install-control >/dev/null 2>&1)
ok "make install into a folder of its own: kutrace_lib.cc" test -s "$TAP_TMP/own/include/kutrace_lib.cc"
is "with umask 077, everybody can read all files" "$(find "$TAP_TMP/own" -type f ! -perm -044)" ""
printf '#include "kutrace_lib.h"\nint main() { return kutrace::test() > 0; }\n' >"$TAP_TMP/program.cc"
ok "a program with kutrace_lib.cc" ${CXX:-c++} -I"$TAP_TMP/own/include" "$TAP_TMP/program.cc" "$TAP_TMP/own/include/kutrace_lib.cc" -o "$TAP_TMP/program"
ok "finds the library there" env -u LD_LIBRARY_PATH "$TAP_TMP/program"

# --- the loader's list of libraries, with a simulated ldconfig ---
mkdir "$TAP_TMP/loader"
cat >"$TAP_TMP/loader/ldconfig" <<'END'
#!/bin/sh
case "$*" in
'-N -X -v') echo "$SEARCHED: (from <builtin>:0)"; printf '\tlibx.so.1 -> libx.so.1\n' ;;
'') echo updated >>"$TAP_TMP/ran" ;;
*) exit 1 ;;
esac
END
printf '#!/bin/sh\n[ "$*" = -u ] && echo "$USER_ID"\n' >"$TAP_TMP/loader/id"
chmod +x "$TAP_TMP"/loader/*
mkdir -p "$TAP_TMP/own/lib" "$TAP_TMP/elsewhere"
loader()	# SEARCHED USER_ID TARGET: runs find_library.sh, and prints its output, then what ldconfig did
{
	rm -f "$TAP_TMP/ran"
	TAP_TMP=$TAP_TMP SEARCHED=$1 USER_ID=$2 PATH=$TAP_TMP/loader:$PATH make --no-print-directory BUILD="$TAP_TMP/b" PREFIX="$TAP_TMP/own" \
		CC=false CXX=false "$3" 2>&1 >/dev/null
	cat "$TAP_TMP/ran" 2>/dev/null
}
is "root, a folder that the loader searches: runs ldconfig" "$(loader "$TAP_TMP/own/./lib" 0 install)" updated
is "make uninstall by root: runs ldconfig" "$(loader "$TAP_TMP/own/lib" 0 uninstall)" updated
is "another user: what to do" "$(loader "$TAP_TMP/own/lib" 1000 install)" "make install: programs find libkutrace after: sudo ldconfig"
like "root, another folder: what to do" "$(loader "$TAP_TMP/elsewhere" 0 install | tr '\n' ' ')" \
	"the loader does not search $TAP_TMP/own/lib\..* echo $TAP_TMP/own/lib >/etc/ld\.so\.conf\.d/kutrace\.conf && ldconfig .*-rpath,$TAP_TMP/own/lib \$"
is "make uninstall, another folder: no output" "$(loader "$TAP_TMP/elsewhere" 0 uninstall)" ""

# --- GNU names of make variables ---
like "prefix= and libdir= are PREFIX= and LIBDIR=" "$(make -n BUILD="$TAP_TMP/b" DESTDIR=/d prefix=/usr libdir=/usr/lib/x install 2>&1 |
	tr -s ' ' '\n' | grep '^/d/usr' | sort -u | tr '\n' ' ')" '/d/usr/bin.* /d/usr/lib/x '
for name in includedir:include mandir:share/man; do
	make --no-print-directory BUILD="$TAP_TMP/b" PREFIX="$TAP_TMP/gnu" "${name%:*}=$TAP_TMP/gnu.${name%:*}" CC=false CXX=false install \
		>/dev/null 2>&1
	is "${name%:*}=: exit status" $? 0
	ok "${name%:*}=: the files are in this folder" diff -r "$TAP_TMP/gnu.${name%:*}" "$TAP_TMP/local/usr/local/${name#*:}" \
		--exclude=kutrace_lib.cc
	ok "${name%:*}=: no file is under PREFIX" test ! -e "$TAP_TMP/gnu/${name#*:}"
	is "${name%:*}=: pkg-config's includedir" "$(sed -n 's/^includedir=//p' "$TAP_TMP/gnu/lib/pkgconfig/libkutrace.pc")" \
		"$([ "${name%:*}" = mandir ] && echo "\${prefix}/include" || echo "$TAP_TMP/gnu.includedir")"
	make --no-print-directory BUILD="$TAP_TMP/b" PREFIX="$TAP_TMP/gnu" "${name%:*}=$TAP_TMP/gnu.${name%:*}" CC=false CXX=false uninstall \
		>/dev/null 2>&1
	is "${name%:*}=: make uninstall" "$(find "$TAP_TMP/gnu" "$TAP_TMP/gnu.${name%:*}" ! -type d)" ""
	rm -rf "$TAP_TMP/gnu"
done
for fixed in exec_prefix:/usr bindir:/usr/bin datarootdir:/usr/share datadir:/usr/share; do
	name=${fixed%:*}
	make --no-print-directory BUILD="$TAP_TMP/b" DESTDIR="$TAP_TMP/refused" PREFIX=/usr "$name=/elsewhere" CC=false CXX=false install \
		>"$TAP_TMP/out" 2>"$TAP_TMP/err"
	is "$name= elsewhere: exit status" $? 2
	like "$name= elsewhere: the message names the reason" "$(cat "$TAP_TMP/err")" "make install: cannot take $name=/elsewhere: .*try PREFIX="
	ok "$name= elsewhere: installs nothing" test ! -e "$TAP_TMP/refused"
	ok "$name= with the default folder is accepted" make -n BUILD="$TAP_TMP/b" DESTDIR=/d PREFIX=/usr "$name=${fixed#*:}" install
done
make --no-print-directory BUILD="$TAP_TMP/b" DESTDIR="$TAP_TMP/refused" PREFIX=/usr bindir=/elsewhere uninstall >/dev/null 2>"$TAP_TMP/err"
like "bindir= elsewhere, make uninstall: the message names the command" "$(cat "$TAP_TMP/err")" "make uninstall: cannot take bindir=/elsewhere: "
like "DESTDIR=/d/ PREFIX=usr: under DESTDIR" "$(make -n BUILD="$TAP_TMP/b" DESTDIR=/d/ PREFIX=usr install 2>&1)" ' /d//*usr/bin$'
for same in PREFIX=/x:exec_prefix=/x/ PREFIX=/x/:exec_prefix=/x PREFIX=/x:bindir=/x//bin PREFIX=//x//:datadir=/x/share/; do
	ok "$same: the same folder in another spelling" make -n BUILD="$TAP_TMP/b" DESTDIR=/d "${same%:*}" "${same#*:}" install
done
# An empty variable means the default, so that no file goes to the root of the system.
plan() { make -n BUILD="$TAP_TMP/b" "$@" install 2>&1; }
plan DESTDIR=/d PREFIX=/p >"$TAP_TMP/plan.default"
for name in includedir mandir libdir INCLUDEDIR MANDIR LIBDIR UNITDIR ZSHDIR; do
	plan DESTDIR=/d PREFIX=/p "$name=" >"$TAP_TMP/plan.empty"
	ok "$name= without a value is the default" cmp "$TAP_TMP/plan.default" "$TAP_TMP/plan.empty"
done
plan DESTDIR= PREFIX=/usr/local >"$TAP_TMP/plan.default"
plan includedir= mandir= libdir= >"$TAP_TMP/plan.empty"
ok "the same without DESTDIR" cmp "$TAP_TMP/plan.default" "$TAP_TMP/plan.empty"
unlike "make install: nothing goes to /usr/local" "$(make -n BUILD="$TAP_TMP/b" DESTDIR=/d prefix=/usr install 2>&1)" '/usr/local'
like "pkg-config: libraries for a static program" "$(cat "$TAP_TMP/root/usr/lib/pkgconfig/libkutrace.pc")" '^Libs\.private: -lpthread$'
for suffix in a so; do
	ok "libkutrace_lib.$suffix is the library" cmp "$TAP_TMP/root/usr/lib/libkutrace_lib.$suffix" "$TAP_TMP/root/usr/lib/libkutrace.$suffix"
done

# --- make uninstall ---
install "$TAP_TMP/b" "$TAP_TMP/gone"
echo mine >"$TAP_TMP/gone/usr/share/man/man1/other.1"
make --no-print-directory BUILD="$TAP_TMP/b" DESTDIR="$TAP_TMP/gone" PREFIX=/usr CC=false CXX=false uninstall \
	>"$TAP_TMP/out" 2>&1
is "make uninstall: exit status" $? 0
is "make uninstall: no output" "$(cat "$TAP_TMP/out")" ""
is "make uninstall: only files of others remain" "$(cd "$TAP_TMP/gone" && find . ! -type d)" \
	"./usr/share/man/man1/other.1"
relative=$(realpath --relative-to=. "$TAP_TMP")/relative
for target in install uninstall; do
	make --no-print-directory BUILD="$TAP_TMP/b" PREFIX="$relative" CC=false CXX=false TMPDIR="$TAP_TMP" $target >"$TAP_TMP/out" 2>&1
	is "make $target PREFIX=relative: exit status" $? 0
	[ $target = install ] || continue
	ok "make install PREFIX=relative: it is there" test -x "$TAP_TMP/relative/bin/rawtoevent"
	pc_prefix=$(grep '^prefix=' "$TAP_TMP/relative/lib/pkgconfig/libkutrace.pc")
done
is "make install PREFIX=relative: pkg-config has the whole name" "$pc_prefix" "prefix=$(realpath "$TAP_TMP")/relative"
is "make uninstall PREFIX=relative: no file remains" "$(find "$TAP_TMP/relative" ! -type d)" ""
is "make uninstall PREFIX=relative: no work folder remains" "$(find "$TAP_TMP" -mindepth 1 -maxdepth 1 -name 'tmp.*')" ""
make --no-print-directory BUILD="$TAP_TMP/none" DESTDIR="$TAP_TMP/gone" PREFIX=/usr uninstall >"$TAP_TMP/out" 2>&1
is "make uninstall, nothing is built: exit status" $? 2
like "make uninstall, nothing is built: the message names the reason" "$(cat "$TAP_TMP/out")" 'is not built'

# --- make load, as root ---
kernel=$TAP_TMP/kernel/include/generated
mkdir -p "$kernel"
echo '#define UTS_RELEASE "6.99.0-test"' >"$kernel/utsrelease.h"
make --no-print-directory BUILD="$TAP_TMP/none" KDIR="$TAP_TMP/kernel" AS_ROOT= load 2>"$TAP_TMP/err" \
	>"$TAP_TMP/out"
is "make load, nothing is built: exit status" $? 2
like "make load, nothing is built: the message names the remedy" "$(cat "$TAP_TMP/err")" \
	'^make load: .*/6\.99\.0-test/kutrace\.ko is not built: make module first'

# --- the README's commands at a terminal, on a trace with the name from step 1 ---
like "step 1 gives the trace the name that step 2 reads" \
	"$(grep -c '\(run\|record\) -o slow\.trace' README.md)" '^2$'
pipeline=$(sed -n 's/^    \(rawtoevent slow\.trace .*\)/\1/p' README.md)
one=$(sed -n 's/.*`\(kutrace page slow\.trace\)`.*/\1/p' README.md)
mkdir "$TAP_TMP/steps"
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/steps/slow.trace"
for bin in "$TAP_TMP/root/usr/lib/kutrace/bin" "$TAP_TMP/b/bin"; do
	for command in "$pipeline" "$one"; do
		what="${bin#"$TAP_TMP"/}: $(awk '{ print $1; exit }' <<<"$command")"
		rm -f "$TAP_TMP/steps/slow.html"
		ok "$what: the command works as written" env PATH="$bin:$TAP_TMP/root/usr/bin:/usr/bin:/bin" \
			script -qec "bash -o pipefail -c 'cd $TAP_TMP/steps && $command'" /dev/null
		like "$what: the page has that trace" "$("$bin/unmakeself" <"$TAP_TMP/steps/slow.html" |
			grep -c 'my slow program\|, "workload.[0-9]*"\]')" '^[1-9][0-9]+$'
	done
done
tap_end
