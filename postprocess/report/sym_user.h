/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of user addresses, by elfutils. Called by sym.c.
 */
#ifndef KP_REPORT_SYM_USER_H
#define KP_REPORT_SYM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kp_sym_user;

struct kp_sym_user *kp_sym_user_open(FILE *maps, const char *root, const char *debug,
				     char *message, size_t size);
/*
 * "outer>inlined>inlined" to text, or false. Names longer than the room are cut.
 */
bool kp_sym_user_name(struct kp_sym_user *user, uint64_t address, char *text, size_t size);
void kp_sym_user_close(struct kp_sym_user *user);

#endif
