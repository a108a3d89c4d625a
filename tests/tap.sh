# SPDX-License-Identifier: BSD-3-Clause
#
# Test Anything Protocol for shell tests; source it. A test script calls tap_begin, then any of the
# reporting functions, then tap_end, which prints the plan and exits with 0 (all ok), 1 (any not ok,
# or none ran) or 77 (all skipped). A script that dies earlier never reaches the plan, and tests/run
# counts that as a failure. stdout has only TAP lines; the output of commands goes to stderr.
#
#	tap_begin
#	ok NAME CMD...		runs CMD, passes when it exits 0
#	exits NAME STATUS CMD...	passes when CMD exits with STATUS
#	is NAME GOT EXPECTED	passes when both strings are equal
#	like NAME GOT REGEX	passes when a line of GOT matches (grep -E)
#	unlike NAME GOT REGEX	passes when no line of GOT matches
#	between NAME GOT LOW HIGH	passes when LOW <= GOT <= HIGH (integers)
#	pass NAME / fail NAME [REASON] / skip NAME REASON
#	diag TEXT		prints a comment line on stderr
#	tap_end
#
# These functions maintain TAP_N, TAP_FAILED and TAP_SKIPPED. $TAP_TMP is a fresh directory that is
# removed at the end.

diag()
{
	printf '# %s\n' "$*" >&2
}

tap_cleanup()
{
	[ -n "${TAP_TMP-}" ] && rm -rf "$TAP_TMP"
}

tap_begin()
{
	TAP_N=0
	TAP_FAILED=0
	TAP_SKIPPED=0
	TAP_TMP=$(mktemp -d) || exit 1
	trap tap_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

pass()
{
	TAP_N=$((TAP_N + 1))
	printf 'ok %d - %s\n' "$TAP_N" "$1"
}

fail()
{
	TAP_N=$((TAP_N + 1))
	TAP_FAILED=$((TAP_FAILED + 1))
	printf 'not ok %d - %s\n' "$TAP_N" "$1"
	[ -z "${2-}" ] || diag "$1: $2"
	return 0
}

skip()
{
	TAP_N=$((TAP_N + 1))
	TAP_SKIPPED=$((TAP_SKIPPED + 1))
	printf 'ok %d - %s # SKIP %s\n' "$TAP_N" "$1" "$2"
}

ok()
{
	_tap_name=$1
	shift
	_tap_status=0
	"$@" >"$TAP_TMP/.ok" 2>&1 || _tap_status=$?
	if [ "$_tap_status" = 0 ]; then
		pass "$_tap_name"
	else
		fail "$_tap_name" "exit status $_tap_status: $*"
		sed 's/^/#   /' "$TAP_TMP/.ok" | tail -n 20 >&2
	fi
}

exits()
{
	_tap_name=$1
	_tap_want=$2
	shift 2
	_tap_status=0
	"$@" >"$TAP_TMP/.ok" 2>&1 || _tap_status=$?
	if [ "$_tap_status" = "$_tap_want" ]; then
		pass "$_tap_name"
	else
		fail "$_tap_name" "exit status $_tap_status, expected $_tap_want: $*"
		sed 's/^/#   /' "$TAP_TMP/.ok" | tail -n 20 >&2
	fi
}

is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got '$2', expected '$3'"
	fi
}

# True if a line of the text $1 matches $2. Uses no pipe, because a pipe costs one more process in each
# of some thousand calls.
_tap_matches()
{
	grep -Eq -e "$2" <<TAP_TEXT
$1
TAP_TEXT
}

like()
{
	if _tap_matches "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "nothing in '$2' matches /$3/"
	fi
}

unlike()
{
	if _tap_matches "$2" "$3"; then
		fail "$1" "'$2' matches /$3/"
	else
		pass "$1"
	fi
}

between()
{
	case $2 in
	'' | *[!0-9-]*)
		fail "$1" "'$2' is not a number"
		return 0
		;;
	esac
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		pass "$1"
	else
		fail "$1" "$2 is not in $3..$4"
	fi
}

tap_end()
{
	printf '1..%d\n' "$TAP_N"
	if [ "$TAP_FAILED" -gt 0 ] || [ "$TAP_N" = 0 ]; then
		exit 1
	fi
	[ "$TAP_SKIPPED" -lt "$TAP_N" ] || exit 77
	exit 0
}
