/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets by HOST:PORT, see address.c.
 */
#ifndef KU_CLI_SHARED_ADDRESS_H
#define KU_CLI_SHARED_ADDRESS_H

#include <stdbool.h>

/*
 * A socket that is connected to HOST:PORT, or listens there; -1 after a message, and
 * *status is the exit status.
 */
int cmd_socket(const char *what, const char *where, bool listening, int *status);

#endif
