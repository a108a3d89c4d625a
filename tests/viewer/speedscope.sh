#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 15
#
# Tests that speedscope's own page (from npm), in Chromium, reads the output of spantospeedscope and shows the
# times of the spans (speedscope.mjs). Skips without Chromium or Node.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin speedscope chromium

SPEEDSCOPE=$(templates/modules.sh tests/speedscope)/speedscope
export SPEEDSCOPE
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s BUILD="$BUILD" "$BUILD/bin/rawtohtml" "$BUILD/bin/spantospeedscope" >&2
xz -dc tests/golden/patched-4cpu.trace.xz >"$dir/trace"
"$BUILD/bin/rawtohtml" --json "$dir/trace" >"$dir/spans.json" 2>/dev/null
"$BUILD/bin/spantospeedscope" <"$dir/spans.json" >"$dir/profile.json" 2>/dev/null
node tests/viewer/speedscope.mjs "$dir/spans.json" "$dir/profile.json"
