// SPDX-License-Identifier: GPL-2.0-only
/* x86: makes interrupts of a CPU to itself, by vector, and NMIs; see make.c. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/nmi.h>

#include "exact.h"

static struct apic **ku_exact_apic;
static bool ku_exact_nmi_sent;
static unsigned int ku_exact_nmis;

static int ku_exact_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(ku_exact_nmi_sent))
		return NMI_DONE;
	ku_exact_nmis++;
	return NMI_HANDLED;
}

/*
 * Accepts the NMI, and vectors whose handlers acknowledge the interrupt. Each interrupt ends before
 * the next one is sent.
 */
int ku_exact_vector(unsigned int vector, unsigned int count)
{
	unsigned int i;

	if (vector > 255 || (vector < FIRST_SYSTEM_VECTOR && vector != NMI_VECTOR))
		return -EINVAL;
	ku_exact_nmis = 0;
	WRITE_ONCE(ku_exact_nmi_sent, vector == NMI_VECTOR);
	for (i = 0; i < count; i++) {
		preempt_disable();
		if (vector == NMI_VECTOR)
			(*ku_exact_apic)->send_IPI(smp_processor_id(), NMI_VECTOR);
		else
			(*ku_exact_apic)->send_IPI_self(vector);
		mdelay(1);
		preempt_enable();
	}
	WRITE_ONCE(ku_exact_nmi_sent, false);
	return vector == NMI_VECTOR && ku_exact_nmis != count ? -EIO : 0;
}

int ku_exact_vector_init(void)
{
	ku_exact_apic = ku_exact_symbol("apic");
	if (!ku_exact_apic)
		return -ENOENT;
	return register_nmi_handler(NMI_LOCAL, ku_exact_nmi, 0, "kutrace_test");
}

void ku_exact_vector_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kutrace_test");
}
