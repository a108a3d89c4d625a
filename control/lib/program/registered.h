/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that the program gives to its RPCs, locks, queues and resources. */
#ifndef KU_LIB_PROGRAM_REGISTERED_H
#define KU_LIB_PROGRAM_REGISTERED_H

#include <stdint.h>

/*
 * Registers a name, to be put into every recording. NULL: no name. Async-signal-safe. Returns
 * -ENOSPC if there is no room.
 */
int ku_register_name(uint16_t base, uint32_t number, const char *text);
/*
 * Puts missing names into the recordings, if this process is permitted to. It runs for every
 * event while recording, but queries the module only from time to time. Returns 0, or -ENOSPC if
 * it has put in the maximum number.
 */
int ku_emit_registered(void);

#endif
