/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that the program gives to its RPCs, locks, queues and resources, see registered.c.
 */
#ifndef KU_LIB_PROGRAM_REGISTERED_H
#define KU_LIB_PROGRAM_REGISTERED_H

#include <stdint.h>

/*
 * Registers a name, to be put into every recording; NULL: there is none. Async-signal-
 * safe. -ENOSPC: no room.
 */
int ku_register_name(uint16_t base, uint32_t number, const char *text);
/*
 * Puts those into the recording that are not in it yet, if this process may. Called
 * for every event while recording; asks the module only now and then. 0, or
 * -ENOSPC once it has put in as many as it may.
 */
int ku_emit_registered(void);

#endif
