// SPDX-License-Identifier: BSD-3-Clause
/*
 * Marks fields by name, see import/ctf_want.h.
 */
#include "import/ctf_want.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned int where;
	enum kp_want want;
} wanted[] = {
	{ "magic", KP_IN_PACKET_HEADER, KP_WANT_MAGIC },
	{ "uuid", KP_IN_PACKET_HEADER, KP_WANT_UUID },
	{ "stream_id", KP_IN_PACKET_HEADER, KP_WANT_STREAM },
	{ "stream_instance_id", KP_IN_PACKET_HEADER, KP_WANT_INSTANCE },
	{ "timestamp_begin", KP_IN_PACKET_CONTEXT, KP_WANT_BEGIN },
	{ "timestamp_end", KP_IN_PACKET_CONTEXT, KP_WANT_END },
	{ "content_size", KP_IN_PACKET_CONTEXT, KP_WANT_CONTENT },
	{ "packet_size", KP_IN_PACKET_CONTEXT, KP_WANT_PACKET },
	{ "packet_seq_num", KP_IN_PACKET_CONTEXT, KP_WANT_SEQUENCE },
	{ "events_discarded", KP_IN_PACKET_CONTEXT, KP_WANT_DISCARDED },
	{ "cpu_id", KP_IN_PACKET_CONTEXT, KP_WANT_CPU },
	{ "id", KP_IN_EVENT_HEADER, KP_WANT_ID },
	{ "tid", KP_IN_EVENT_CONTEXT, KP_WANT_RUNNING },
	{ "ipc", KP_IN_EVENT_CONTEXT, KP_WANT_COUNTER },
	{ "llc", KP_IN_EVENT_CONTEXT, KP_WANT_COUNTER },
	{ "ipc_llc", KP_IN_EVENT_CONTEXT, KP_WANT_COUNTER },
	{ "prev_comm", KP_IN_EVENT, KP_WANT_PREV_COMM },
	{ "prev_tid", KP_IN_EVENT, KP_WANT_PREV_TID },
	{ "prev_state", KP_IN_EVENT, KP_WANT_PREV_STATE },
	{ "next_comm", KP_IN_EVENT, KP_WANT_NEXT_COMM },
	{ "next_tid", KP_IN_EVENT, KP_WANT_NEXT_TID },
	{ "comm", KP_IN_EVENT, KP_WANT_COMM },
	{ "newcomm", KP_IN_EVENT, KP_WANT_NEW_COMM },
	{ "tid", KP_IN_EVENT, KP_WANT_TID },
	{ "child_comm", KP_IN_EVENT, KP_WANT_CHILD_COMM },
	{ "child_tid", KP_IN_EVENT, KP_WANT_CHILD_TID },
	{ "parent_tid", KP_IN_EVENT, KP_WANT_PARENT_TID },
	{ "type", KP_IN_EVENT, KP_WANT_TYPE },
	{ "status", KP_IN_EVENT, KP_WANT_STATUS },
	{ "filename", KP_IN_EVENT, KP_WANT_FILENAME },
	{ "name", KP_IN_EVENT, KP_WANT_NAME },
	{ "irq", KP_IN_EVENT, KP_WANT_IRQ },
	{ "vec", KP_IN_EVENT, KP_WANT_VEC },
	{ "vector", KP_IN_EVENT, KP_WANT_VECTOR },
	{ "number", KP_IN_EVENT, KP_WANT_NUMBER },
	{ "trap", KP_IN_EVENT, KP_WANT_TRAP },
	{ "ret", KP_IN_EVENT, KP_WANT_RET },
	{ "state", KP_IN_EVENT, KP_WANT_STATE },
	{ "cpu_id", KP_IN_EVENT, KP_WANT_ON_CPU },
	{ "sampled", KP_IN_EVENT, KP_WANT_SAMPLED },
	{ "error_code", KP_IN_EVENT, KP_WANT_ERROR },
	{ "arg", KP_IN_EVENT, KP_WANT_ARG },
	{ "arg0", KP_IN_EVENT, KP_WANT_ARG0 },
	{ "skbaddr", KP_IN_EVENT, KP_WANT_SKB },
	{ "id", KP_IN_EVENT, KP_WANT_SYSCALL },
};

bool kp_ctf_is_number(const struct kp_ty *type)
{
	return type->kind == KP_TY_INTEGER || type->kind == KP_TY_ENUM;
}

void kp_ctf_mark(struct kp_ty *type, enum kp_want_where where)
{
	struct kp_ty_field *field;
	const char *name;
	size_t i;

	for (field = type ? type->fields : NULL; field; field = field->next) {
		name = field->name + (field->name[0] == '_');
		field->want = KP_WANT_NOTHING;
		for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (wanted[i].where & where && !strcmp(wanted[i].name, name))
				field->want = (uint16_t)wanted[i].want;
		/* a header may have variants, each with its own fields for id and time */
		if (where == KP_IN_EVENT_HEADER && (field->type->kind == KP_TY_STRUCT ||
						    field->type->kind == KP_TY_VARIANT))
			kp_ctf_mark(field->type, where);
		if (!strcmp(name, "timestamp") && where == KP_IN_EVENT_HEADER &&
		    field->type->kind == KP_TY_INTEGER)
			field->type->is_clock = true;
	}
}

void kp_ctf_mark_first(struct kp_ty *fields)
{
	struct kp_ty_field *field = fields ? fields->fields : NULL;

	while (field && !kp_ctf_is_number(field->type))
		field = field->next;
	if (field)
		field->want = KP_WANT_FIRST;
}
