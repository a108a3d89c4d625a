#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 15
# ci
#
# Tests hostile names and headers, and the page's security policy, in Firefox: the first part of hostile.mjs,
# which viewer.sh runs in Chromium.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "hostile data in Firefox" firefox
BROWSER=firefox exec node tests/viewer/hostile.mjs
