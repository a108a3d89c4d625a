// SPDX-License-Identifier: GPL-2.0-only
/* The state of each CPU that env.h needs. Not in user space. */
#include "core/env.h"

DEFINE_PER_CPU(bool, ku_spinning);
