#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 60
# ci
#
# The page in Firefox: it draws what Chromium draws (twin.mjs), and its rows are moved by mouse, wheel and keys. In
# `make check-full`, or with KUTRACE_FULL=1, its tables and tools, too. More can be run there by hand:
# BROWSER=firefox node tests/viewer/run.mjs
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer in Firefox" chromium firefox
BROWSER=firefox exec node tests/viewer/together.mjs twin rows ${KUTRACE_FULL:+tables tools saved}
