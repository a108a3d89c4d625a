#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 95
#
# The page in Firefox: it draws what Chromium draws (twin.mjs), and its tables, tools and rows work. More
# can be run there by hand: BROWSER=firefox node tests/viewer/run.mjs
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer in Firefox" chromium firefox
BROWSER=firefox exec node tests/viewer/together.mjs twin tables tools rows
