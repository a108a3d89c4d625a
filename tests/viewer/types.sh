#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 20
#
# Tests the types of the page's source, and the types in the comments of the browser tests. The
# result depends only on the files, so a pass is stored and reused (tests/reuse.inc).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/reuse.inc
. tests/keys.inc

tap_begin
if ! command -v node >/dev/null || ! modules=$(templates/modules.sh); then
	skip "types of the page and its tests" "node or npm's packages are not there"
	tap_end
fi

agrees()	# FOLDER
{
	node "$modules/typescript/bin/tsc" -p "$1" --typeRoots "$modules/@types"
}

both()
{
	ok "the page's source agrees with its types" agrees templates
	ok "the browser tests agree with theirs" agrees tests/viewer
}

inputs()
{
	node --version
	# the lock file determines the packages
	files_key templates/js templates/*.json tests/viewer tests/reuse.inc
}
reuse viewer-types both < <(inputs)
tap_end
