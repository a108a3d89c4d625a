#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the basis of distribution packages. The build reports all missing requirements together. The tarball has the
# same bytes each time, and its content builds without git and esbuild. Every tool has completion in bash and zsh. Package
# recipes name the version and everything that is installed. tests/packages/root.sh builds and installs the packages
# themselves, in minimal root folders. KUTRACE_FAST (make check) skips the tarball, which is packed twice.
. tests/tap.sh
tap_begin
build=$(realpath "${BUILD:-build}")
version=$(sed -n 's/^VERSION := //p' Makefile)
make=(env -u MAKEFLAGS -u MFLAGS make --no-print-directory)

# --- missing requirements ---
mkdir "$TAP_TMP/bin"
# Makes a compiler for a machine without these headers, and one for a machine without any headers.
printf '#!/bin/sh\nfor a; do case $a in *.c) grep -q "sqlite3\\|zstd\\|zlib\\|linux/types" "$a" && exit 1; esac; done\nexec cc "$@"\n' >"$TAP_TMP/bin/poor"
chmod +x "$TAP_TMP/bin/poor"
"${make[@]}" BUILD="$TAP_TMP/b" CC="$TAP_TMP/bin/poor" tools >"$TAP_TMP/out" 2>"$TAP_TMP/err"
is "two libraries are not there: exit status" $? 2
like "one library is named with its purpose" "$(cat "$TAP_TMP/err")" 'zlib\.h +pages, compressed traces .*zlib1g-dev'
like "the other library is named with its purpose" "$(cat "$TAP_TMP/err")" 'linux/types\.h +the names of system calls .*linux-libc-dev'
unlike "other libraries are not named" "$(cat "$TAP_TMP/err")" 'sqlite3\.h'
CC=$TAP_TMP/bin/poor control/dist/needs.sh optional 2>"$TAP_TMP/err"
is "two libraries that only some tools need: exit status" $? 1
like "one of them is named with its purpose" "$(cat "$TAP_TMP/err")" 'sqlite3\.h +rawtosqlite .*libsqlite3-dev'
like "the other one is named with its purpose" "$(cat "$TAP_TMP/err")" 'zstd\.h +rawtoparquet.*libzstd-dev'
unlike "other tools' libraries are not named" "$(cat "$TAP_TMP/err")" 'libdwfl\.h|zlib\.h'
# make 4.4 and later has already made the folders of the objects
is "nothing was compiled" "$(find "$TAP_TMP/b" -type f ! -name .dir)" ""
"${make[@]}" BUILD="$TAP_TMP/b" CC="$TAP_TMP/bin/none" tools >"$TAP_TMP/out" 2>"$TAP_TMP/err"
like "no compiler" "$(cat "$TAP_TMP/err")" 'a C compiler with its library'
for what in '' optional; do
	PATH=$TAP_TMP/bin:/usr/bin:/bin CC=cc control/dist/needs.sh $what 2>"$TAP_TMP/err"
	is "nothing is lacking here${what:+, $what}" "$?$(cat "$TAP_TMP/err")" 0
done
for version_of in 0.16.17:1 0.9.7:1 0.17.0:0 0.25.5:0 1.0.0:0; do
	printf '#!/bin/sh\necho %s\n' "${version_of%:*}" >"$TAP_TMP/bin/esbuild"
	chmod +x "$TAP_TMP/bin/esbuild"
	PATH=$TAP_TMP/bin:/usr/bin:/bin CC=cc control/dist/needs.sh page 2>"$TAP_TMP/err"
	is "esbuild ${version_of%:*}: exit status" $? "${version_of#*:}"
	[ "${version_of#*:}" = 0 ] || like "esbuild ${version_of%:*} is too old" "$(cat "$TAP_TMP/err")" 'esbuild 0\.17 +building the page'
done
printf '#!/bin/sh\nexit 127\n' >"$TAP_TMP/bin/esbuild"

# --- the tarball, from a commit of the present files ---
if [ -z "${KUTRACE_FAST-}" ]; then
	git init -q "$TAP_TMP/repo"
	git ls-files --cached --others --exclude-standard -z 2>/dev/null | while IFS= read -r -d '' file; do
		[ ! -f "$file" ] || printf '%s\0' "$file"
	done | tar --null -T - -cf - | tar -C "$TAP_TMP/repo" -xf -
fi
if [ -f "$TAP_TMP/repo/Makefile" ]; then
	(cd "$TAP_TMP/repo" && git add -A && GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' git -c user.name=t -c user.email=t@example.org \
		commit -q --no-gpg-sign -m t)
	cp tests/data/template.html "$TAP_TMP/page.html"
	pack()	# OUT
	{
		(cd "$TAP_TMP/repo" && control/dist/tarball.sh "$version" "$TAP_TMP/page.html" "$1")
	}
	ok "the tarball" pack "$TAP_TMP/one.tar.xz"
	find "$TAP_TMP/repo" -not -path '*/.git/*' -type f -exec touch -d '2020-02-02' {} +
	(umask 077 && chmod -R go-rwx "$TAP_TMP/repo" && TZ=Asia/Tokyo pack "$TAP_TMP/two.tar.xz")
	ok "packed again, at another time, with another umask: the same bytes" \
		cmp "$TAP_TMP/one.tar.xz" "$TAP_TMP/two.tar.xz"
	is "the tarball unpacks into one folder" "$(tar -tf "$TAP_TMP/one.tar.xz" | cut -d/ -f1 | sort -u)" "kutrace-$version"
	mkdir "$TAP_TMP/src"
	tar -C "$TAP_TMP/src" -xf "$TAP_TMP/one.tar.xz"
	plan=$(cd "$TAP_TMP/src/kutrace-$version" && PATH=$TAP_TMP/bin:/usr/bin:/bin "${make[@]}" -n BUILD="$TAP_TMP/src/b" all 2>&1)
	unlike "the tarball builds the page without esbuild" "$plan" 'build\.sh|modules\.sh|needs\.sh page'
	like "the tarball has the built page" "$plan" 'cp templates/built/show_cpu\.html'
	(cd "$TAP_TMP/src/kutrace-$version" && control/dist/tarball.sh 1 "$TAP_TMP/page.html" "$TAP_TMP/three.tar.xz") 2>"$TAP_TMP/err"
	is "outside a checkout: exit status" $? 1
	like "outside a checkout" "$(cat "$TAP_TMP/err")" 'not the top of a git checkout'
	ok "outside a checkout: no file" test ! -e "$TAP_TMP/three.tar.xz"
elif [ -z "${KUTRACE_FAST-}" ]; then
	skip "the tarball" "this is no git checkout"
fi

# --- installed files ---
mkdir -p "$TAP_TMP/i/templates"
ln -s "$build/bin" "$build/lib" "$TAP_TMP/i/"
cp tests/data/template.html "$TAP_TMP/i/templates/show_cpu.html"
top=$TAP_TMP/root
ok "make install" "${make[@]}" -s BUILD="$TAP_TMP/i" PREFIX=/usr LIBDIR=/usr/lib/x DESTDIR="$top" install
ok "libraries are in LIBDIR" test -f "$top/usr/lib/x/libkutrace.so.1" -a -f "$top/usr/lib/x/libkutrace.a"
like "pkg-config has LIBDIR" "$(cat "$top/usr/lib/x/pkgconfig/libkutrace.pc")" '^libdir=/usr/lib/x$'
other=$(cd "$top/usr/lib/kutrace/bin" && echo *)
tools=$(cd "$top/usr/bin" && echo * "$other")
for tool in $tools; do
	section=1kutrace
	[ "${tool#kutrace}" = "$tool" ] || section=1
	ok "$tool: manual page" test -s "$top/usr/share/man/man1/$tool.$section"
	ok "$tool: completion in bash" test -s "$top/usr/share/bash-completion/completions/$tool"
	function=_kutrace_filter
	[ "$tool" != kutrace ] || function=_kutrace
	[ "$tool" = kutrace_control ] ||
		like "$tool: its long options in bash" "$(PATH=$top/usr/lib/kutrace/bin:$top/usr/bin:$PATH bash -c '. "$1"; COMP_WORDS=("$2" --); COMP_CWORD=1
			$3 "$2"; echo "${COMPREPLY[*]}"' - "$top/usr/share/bash-completion/completions/$tool" "$tool" $function)" \
			'(^| )--version( |$)'
done
is "zsh completes them all" "$(sed -n '1s/^#compdef //p' "$top/usr/share/zsh/site-functions/_kutrace" | tr ' ' '\n' | sort | tr '\n' ' ')" \
	"$(tr ' ' '\n' <<<"$tools" | sort | tr '\n' ' ')"
for recipe in debian/control debian/kutrace.README.Debian other/kutrace.spec; do
	like "$recipe has the line for the PATH" "$(sed 's/%{_prefix}/\/usr/' "control/dist/$recipe")" 'export PATH="/usr/lib/kutrace/bin:\$PATH"'
done

# --- recipes ---
is "debian/changelog has the version" "$(sed -n '1s/kutrace (\([^)]*\)).*/\1/p' control/dist/debian/changelog)" "$version"
is "kutrace.spec has the version" "$(sed -n 's/^Version: *//p' control/dist/other/kutrace.spec)" "$version"
is "PKGBUILD has the version" "$(sed -n 's/^pkgver=//p' control/dist/other/PKGBUILD)" "$version"
for header in $(sed -n 's/^\t\t\([a-z0-9/]*\.h\)|.*/\1/p' control/dist/needs.sh); do
	case $header in
	linux/types.h) continue ;;
	esac
	package=$(sed -n "s#^\t\t$header|[^|]*|[^|]*|\([^|]*\)|.*#\1#p" control/dist/needs.sh)
	like "debian/control builds with $package" "$(cat control/dist/debian/control)" "^ +$package,?\$"
	fedora=$(sed -n "s#^\t\t$header|[^|]*|[^|]*|[^|]*|\([^|]*\)|.*#\1#p" control/dist/needs.sh)
	fedora=${fedora/zlib-ng-compat-devel/zlib-devel}
	like "kutrace.spec builds with $fedora" "$(cat control/dist/other/kutrace.spec)" "^BuildRequires: .*\\b$fedora\\b"
done
for tool in ctftoevent perfettotoevent; do
	for recipe in debian/rules other/kutrace.spec other/PKGBUILD; do
		like "$recipe puts $tool into kutrace-interop" "$(cat "control/dist/$recipe")" "\\b$tool\\b"
	done
done
# make deb installs on a clean machine exactly what dpkg-buildpackage needs: Build-Depends, and what every package needs.
named=$(tests/deps.sh --list package)
for package in build-essential dpkg-dev debhelper dh-dkms libbabeltrace2-dev libzstd-dev xz-utils zlib1g-dev; do
	like "make deb installs $package" "$(tr '\n' ' ' <<<"$named")" "(^| )${package//+/\\+} "
done
is "make deb installs as many packages as debian/control names, and two" "$(wc -l <<<"$named")" \
	"$(($(sed -n '/^Build-Depends:/,/^Standards/p' control/dist/debian/control | grep -c '^Build-Depends\|^ ') + 2))"
unlike "make deb installs no virtual package" "$named" 'dh-sequence|debhelper-compat|[^a-z0-9.+-]$'
like "make deb installs packages before it builds" "$("${make[@]}" -n BUILD="$TAP_TMP/plan" deb 2>&1 | head -n 1)" 'deps\.sh package'
like "dkms takes kernels from 6.1 on, and no older ones" "$(pattern=$(sed -n 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' \
	control/dist/debian/kutrace-dkms.dkms)
	for kernel in 5.10.0-30-amd64 6.0.0 6.1.0-56-cloud-amd64 6.12.117+deb13-amd64 7.2.13-amd64 10.0.1 61.1; do
		[[ $kernel =~ $pattern ]] && printf ' %s' "$kernel"
	done)" '^ 6\.1\.0-56-cloud-amd64 6\.12\.117\+deb13-amd64 7\.2\.13-amd64 10\.0\.1 61\.1$'
tap_end
