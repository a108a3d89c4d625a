#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes the whole series for one kernel release as mails: a cover letter and patches for `git am`.
# Must leave nothing in OUTDIR when it fails.
#
#	kernel-patches/format.sh [--author 'NAME <ADDRESS>'] [--without-control | --tracepoints] KVER OUTDIR
#
# The series adds the core and the module folder by folder, lowest first, then builds them, then places
# the hooks, one subsystem a patch. `git am OUTDIR/*.patch` needs no other file of this project.
# --without-control leaves out the control system call (number 1023), which no other part needs.
# --tracepoints writes the small series of tracepoints instead, which does not need the other
# series. The author, who also signs off, is the maintainer that the series adds to MAINTAINERS.
# Exit status: 0; 1 with a message; 2 usage.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage()
{
	echo "usage: format.sh [--author 'NAME <ADDRESS>'] [--without-control | --tracepoints] KVER OUTDIR" >&2
	exit 2
}

die()
{
	echo "format: $*" >&2
	exit 1
}

author='' control=yes all=$here
while [ $# -gt 0 ]; do
	case $1 in
	--author) [ $# -ge 2 ] || usage; author=$2; shift 2 ;;
	--without-control) control=no; shift ;;
	--tracepoints) all=$here/tracepoints; shift ;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# = 2 ] || usage
kver=$1 out=$2 patches=$all/linux-$1
[ -f "$patches/series" ] || die "no patches for Linux $kver: there are $(cd "$all" && echo linux-*)"
command -v git >/dev/null || die "git is not installed; try apt-get install git"
[ -z "$(ls -A "$out" 2>/dev/null)" ] || die "$out is not empty"
[ -n "$author" ] || author=$(sed -n 's/^+M:\t//p' "$here/linux-$kver"/*.patch | sed -n 1p)
case $author in
?*' <'?*@?*'>') ;;
*) die "--author: bad address \"$author\" (example: 'Ada Smith <ada@example.org>')" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree count=0
mkdir "$work/new" "$work/mail"
git init -q "$tree"

in_tree()
{
	GIT_AUTHOR_NAME=${author% <*} GIT_COMMITTER_NAME=${author% <*} \
		GIT_AUTHOR_EMAIL=$(echo "${author##*<}" | tr -d '>') \
		GIT_COMMITTER_EMAIL=$(echo "${author##*<}" | tr -d '>') \
		git -C "$tree" -c core.abbrev=12 "$@"
}

# add SUBJECT BODY FILE...: makes one patch that adds these files, which are already in $tree.
add()
{
	local subject=$1 body=$2
	shift 2
	in_tree add -- "$@"
	printf '%s\n\n%s\n' "$subject" "$(fold -s -w 72 <<<"$body" | sed 's/ *$//')" |
		in_tree commit -q -s -F -
	mail <(in_tree format-patch -1 --stdout --no-signature)
}

# mail FILE: adds the patch in FILE as the series' next mail.
mail()
{
	count=$((count + 1))
	cat "$1" >"$work/mail/$(printf %04d "$count")"
}

# stored FILE: adds a patch of this folder, which contains no author, as the next mail.
stored()
{
	{
		echo 'From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001'
		echo "From: $author"
		echo "Date: $(date -R)"
		author=$author awk '$0 == "---" && !done++ { print "\nSigned-off-by: " ENVIRON["author"] } { print }' "$1"
	} >"$work/stored"
	mail "$work/stored"
}

# without_control: removes the control system call from the new files in the current folder: its own
# files, the entry in Kconfig, and the blocks and lines of CONFIG_KUTRACE_CONTROL.
without_control()
{
	local file

	rm include/linux/kutrace_control.h kernel/kutrace/control.c \
		kernel/kutrace/module/ctl/syscall.[ch] kernel/kutrace/module/uapi/kutrace_call.h
	grep -rlE --exclude-dir=.git '(^config |CONFIG_)KUTRACE_CONTROL\>' . | while read -r file; do
		awk '
		/^config / { entry = $2 == "KUTRACE_CONTROL" }
		/^#?ifdef CONFIG_KUTRACE_CONTROL$/ { block = 1 }
		!entry && !block && !/\$\(CONFIG_KUTRACE_CONTROL\)/
		/^#?endif .*CONFIG_KUTRACE_CONTROL/ { block = 0 }' "$file" >"$work/less"
		cp "$work/less" "$file"
	done
}

# with_control: adds one patch with everything that without_control removed.
with_control()
{
	cp -R "$work/full/." "$tree/"
	add 'kutrace: add the control system call' \
		'Add the control system call: its number, the registration of its handler, and the handler in the module. No architecture calls it yet. Programs that were built for the original KUtrace use the call. The device has the same commands.

This patch and the next ones are optional.' .
}

# --- new files ---
new_files()
{
	local folder what name files

	cp -R "$here/files/." "$tree/"
	cp "$here/../Kconfig" "$tree/kernel/kutrace/Kconfig"
	cp -R "$here/../module" "$tree/kernel/kutrace/module"
	rm "$tree/kernel/kutrace/module/rules.mk" "$tree/kernel/kutrace/module/FLOORS"
	mkdir "$work/full"
	cp -R "$tree"/[!.]* "$work/full/"
	(cd "$tree" && without_control)

	add 'kutrace: add the core of the hooks' \
		'Add the inline hooks, their static keys and static calls, and the core that a tracer registers with. No hook has a place yet, and nothing is built.' \
		include arch kernel/kutrace/core.c kernel/kutrace/Kconfig kernel/kutrace/Makefile
	while read -r folder what; do
		[ "$folder" = . ] && files=(kernel/kutrace/module) ||
			mapfile -t files < <(cd "$tree" && find "kernel/kutrace/module/$folder" -maxdepth 1 -type f | LC_ALL=C sort)
		[ ${#files[@]} -gt 0 ] || continue
		[ "$folder" = . ] && name="the module's frame" || name="module/$folder"
		add "kutrace: add $name" "Purpose: $what.

Folders come lowest first. A file includes and calls only its own folder and those of earlier patches. Nothing is built yet." \
			"${files[@]}"
	done < <(grep -v '^#' "$here/../module/FLOORS" | tr -s ' ')
	add 'kutrace: add tests of the hooks and of the ring' \
		'Add a KUnit test of the ring, and a module that makes each kind of event on purpose and reads the counters of the kernel. Nothing is built yet.' \
		kernel/kutrace
	add 'selftests: kutrace: add a test' \
		'Add a test that records known numbers of events and counts them.' tools
	add 'Documentation: kutrace: describe hooks and recording' \
		'Describe where the hooks are, in which context they run, and how a recording starts.' Documentation
}
[ "$all" != "$here" ] || new_files

# --- hooks ---
while read -r patch; do
	case $patch in
	*control-system-call*)
		[ $control = yes ] || continue
		[ -z "$(ls -A "$work/full")" ] || { with_control; rm -rf "$work/full"/*; }
		;;
	esac
	stored "$patches/$patch"
done < <(grep -v '^#' "$patches/series")

# --- numbers, names, cover letter ---
mkdir -p "$out"
for each in "$work"/mail/*; do
	number=${each##*/}
	sed "0,/^Subject: /s/^Subject: \[PATCH\]/Subject: [PATCH $((10#$number))\/$count]/" "$each" >"$work/one"
	name=$(sed -n '0,/^$/{/^Subject: /{N;s/\n\([^ ]\|$\).*//;s/\n//;s/^Subject: \[[^]]*\] //p}}' "$work/one" |
		tr -cs '[:alnum:]._' - | cut -c 1-52)
	cp "$work/one" "$work/new/$number-${name%-}.patch"
done
{
	echo 'From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001'
	echo "From: $author"
	echo "Date: $(date -R)"
	sed "1s/^Subject: \[PATCH[^]]*\]/Subject: [PATCH 00\/$count]/" "$all/cover-letter.txt"
} >"$work/new/0000-cover-letter.txt"
cp "$work"/new/* "$out/"
echo "$count patches for Linux $kver in $out; apply them by: git am $out/*.patch"
