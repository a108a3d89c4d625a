#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# The page's tables, tools and layers in Chromium: what features.mjs imports, as one TAP.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer features" chromium
exec node tests/viewer/features.mjs
