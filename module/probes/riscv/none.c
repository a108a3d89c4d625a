// SPDX-License-Identifier: GPL-2.0-only
/* riscv64: it has no tracepoints that others have not. See probes/tp.h. */
#include "probes/tp.h"

const struct ku_tp_table ku_tps_arch = { .tps = NULL, .count = 0 };
