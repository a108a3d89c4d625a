// SPDX-License-Identifier: GPL-2.0-only
/* riscv64 has no tracepoints of its own. See probes/tp.h. */
#include "probes/tp.h"

const struct ku_tp_table ku_tps_arch = { .tps = NULL, .count = 0 };
