#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 100
#
# The page in Chromium: builds it, and runs each of the test programs, whose
# TAP becomes one: run.mjs (every feature), odd.mjs (odd and damaged pages), exact.mjs (the picture
# against the data), hostile.mjs (data that means harm), axe.mjs
# (accessibility). With KUTRACE_FAST the first and the last. Skips when there is no Chromium or no Node.
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
	# one numbering; a program that died before its plan is a failure of its own
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
