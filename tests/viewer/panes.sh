#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 95
# ci
#
# Tests the page in Chromium: the panes of its panel, the search, every action by keyboard, and the
# sentences of explanations.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer panes" headless
exec node tests/viewer/together.mjs acting process lives identity search query details path why keyboard sentences findings
