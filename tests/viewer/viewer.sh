#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 100
#
# Tests the page in Chromium: builds it, runs each test program, and joins their TAP outputs. The
# programs are run.mjs (every feature), odd.mjs (odd and damaged pages), exact.mjs (the picture against
# the data), hostile.mjs (hostile data) and axe.mjs (accessibility). KUTRACE_FAST selects the first and
# the last. Skips without Chromium or Node.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin viewer chromium

status=0
number=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
programs='run odd exact hostile axe'
[ -z "${KUTRACE_FAST-}" ] || programs='run axe'
for program in $programs; do
	code=0
	node "tests/viewer/$program.mjs" >"$out" || code=$?
	# number the tests of all programs; a program that prints no plan counts as a failure
	while IFS= read -r line; do
		case $line in
		"ok "*" - "* | "not ok "*" - "*)
			number=$((number + 1))
			echo "${line%%ok *}ok $number - $program: ${line#*ok * - }"
			;;
		1..*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$out"
	if ! tail -n 1 "$out" | grep -q '^1\.\.'; then
		number=$((number + 1))
		echo "not ok $number - $program: ended with status $code before its last test"
		code=1
	fi
	[ "$code" = 0 ] || status=1
done
echo "1..$number"
exit $status
