#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 15
# ci
#
# Names and headers that mean harm, and the page's policy, in Firefox: the first part of what viewer.sh does in
# Chromium (hostile.mjs).
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "hostile data in Firefox" firefox
BROWSER=firefox exec node tests/viewer/hostile.mjs
