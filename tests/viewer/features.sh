#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 80
#
# Tests the page in Chromium: tables, calls, tools, rows, equal idle time in all sums, and the questions of
# docs/guide/questions.md. KUTRACE_FAST selects the questions only.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer features" headless
make -s BUILD="$BUILD" tools "$BUILD/tests/make_traces" >&2
features="idle tables calls tools saved rows"
[ -z "${KUTRACE_FAST-}" ] || features=
exec node tests/viewer/together.mjs $features questions
