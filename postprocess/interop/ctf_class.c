// SPDX-License-Identifier: BSD-3-Clause
/* Reads classes and fields of libbabeltrace2 (interop/ctf.h). */
#include "interop/ctf.h"

/* a function of version 2.1; version 2.0 lacks it and does not need it */
extern const char *bt_trace_get_uid(const bt_trace *trace) __attribute__((weak));

enum { IN_CONTEXT = 1, IN_EVENT = 2 };

static const struct {
	const char *name;
	unsigned int where;
	enum kp_want want;
} wanted[] = {
	{ "tid", IN_CONTEXT, KP_WANT_RUNNING },
	{ "ipc", IN_CONTEXT, KP_WANT_COUNTER },
	{ "llc", IN_CONTEXT, KP_WANT_COUNTER },
	{ "ipc_llc", IN_CONTEXT, KP_WANT_COUNTER },
	{ "prev_comm", IN_EVENT, KP_WANT_PREV_COMM },
	{ "prev_tid", IN_EVENT, KP_WANT_PREV_TID },
	{ "prev_state", IN_EVENT, KP_WANT_PREV_STATE },
	{ "next_comm", IN_EVENT, KP_WANT_NEXT_COMM },
	{ "next_tid", IN_EVENT, KP_WANT_NEXT_TID },
	{ "comm", IN_EVENT, KP_WANT_COMM },
	{ "newcomm", IN_EVENT, KP_WANT_NEW_COMM },
	{ "tid", IN_EVENT, KP_WANT_TID },
	{ "child_comm", IN_EVENT, KP_WANT_CHILD_COMM },
	{ "child_tid", IN_EVENT, KP_WANT_CHILD_TID },
	{ "parent_tid", IN_EVENT, KP_WANT_PARENT_TID },
	{ "type", IN_EVENT, KP_WANT_TYPE },
	{ "status", IN_EVENT, KP_WANT_STATUS },
	{ "filename", IN_EVENT, KP_WANT_FILENAME },
	{ "name", IN_EVENT, KP_WANT_NAME },
	{ "irq", IN_EVENT, KP_WANT_IRQ },
	{ "vec", IN_EVENT, KP_WANT_VEC },
	{ "vector", IN_EVENT, KP_WANT_VECTOR },
	{ "number", IN_EVENT, KP_WANT_NUMBER },
	{ "trap", IN_EVENT, KP_WANT_TRAP },
	{ "ret", IN_EVENT, KP_WANT_RET },
	{ "state", IN_EVENT, KP_WANT_STATE },
	{ "cpu_id", IN_EVENT, KP_WANT_ON_CPU },
	{ "sampled", IN_EVENT, KP_WANT_SAMPLED },
	{ "error_code", IN_EVENT, KP_WANT_ERROR },
	{ "arg", IN_EVENT, KP_WANT_ARG },
	{ "arg0", IN_EVENT, KP_WANT_ARG0 },
	{ "skbaddr", IN_EVENT, KP_WANT_SKB },
	{ "id", IN_EVENT, KP_WANT_SYSCALL },
};

static enum kp_want want_of(const char *name, unsigned int where)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (wanted[i].where == where && !strcmp(wanted[i].name, name + (name[0] == '_')))
			return wanted[i].want;
	return KP_WANT_NOTHING;
}

/* Adds the members of the struct @class, which may be NULL. Returns 0, or -1 without memory. */
static int add_fields(struct kp_ctf_fields *fields, const bt_field_class *class, unsigned int where)
{
	const uint64_t count = class ? bt_field_class_structure_get_member_count(class) : 0;
	const bt_field_class_structure_member *member;
	struct kp_ctf_field *field;

	for (uint64_t i = 0; i < count; i++) {
		member = bt_field_class_structure_borrow_member_by_index_const(class, i);
		field = KP_PUSH(fields);
		if (!field)
			return -1;
		field->name = bt_field_class_structure_member_get_name(member);
		field->type = bt_field_class_get_type(
			bt_field_class_structure_member_borrow_field_class_const(member));
		field->want = want_of(field->name, where);
	}
	return 0;
}

bool kp_ctf_is_number(const struct kp_ctf_field *field)
{
	return bt_field_class_type_is(field->type, BT_FIELD_CLASS_TYPE_INTEGER);
}

static int add_event(struct kp_ctf_meta *meta, const bt_event_class *class)
{
	struct kp_ctf_event_class *event = KP_PUSH(&meta->events);
	const char *name = bt_event_class_get_name(class);

	if (!event)
		return -1;
	*event = (struct kp_ctf_event_class){ .name = strdup(name ? name : ""), .stream = meta->streams.count - 1 };
	if (!event->name ||
	    add_fields(&event->context, bt_event_class_borrow_specific_context_field_class_const(class),
		       IN_CONTEXT) ||
	    add_fields(&event->fields, bt_event_class_borrow_payload_field_class_const(class), IN_EVENT))
		return -1;
	return kp_map_set(&meta->by_class, (uintptr_t)class, (uint32_t)(meta->events.count - 1));
}

static void find_cpu(struct kp_ctf_stream_class *stream, const bt_field_class *context)
{
	const uint64_t count = context ? bt_field_class_structure_get_member_count(context) : 0;
	const bt_field_class_structure_member *member;

	for (uint64_t i = 0; i < count && !stream->has_cpu; i++) {
		member = bt_field_class_structure_borrow_member_by_index_const(context, i);
		stream->cpu = i;
		stream->has_cpu = !strcmp(bt_field_class_structure_member_get_name(member), "cpu_id") &&
				  bt_field_class_type_is(bt_field_class_get_type(
					bt_field_class_structure_member_borrow_field_class_const(member)),
					BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);
	}
}

static int add_stream(struct kp_ctf_meta *meta, const bt_stream_class *class)
{
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);
	struct kp_ctf_stream_class *stream = KP_PUSH(&meta->streams);

	if (!stream)
		return -1;
	*stream = (struct kp_ctf_stream_class){
		.has_packets = bt_stream_class_supports_packets(class), .has_clock = clock != NULL,
	};
	if (clock) {
		stream->freq = bt_clock_class_get_frequency(clock);
		bt_clock_class_get_offset(clock, &stream->offset_s, &stream->offset);
	}
	if (stream->has_packets)
		find_cpu(stream, bt_stream_class_borrow_packet_context_field_class_const(class));
	if (add_fields(&stream->context, bt_stream_class_borrow_event_common_context_field_class_const(class),
		       IN_CONTEXT))
		return -1;
	for (uint64_t i = 0; i < bt_stream_class_get_event_class_count(class); i++)
		if (add_event(meta, bt_stream_class_borrow_event_class_by_index_const(class, i)))
			return -1;
	return 0;
}

static char *text_of(const bt_value *value)
{
	char text[24] = "";

	if (bt_value_is_string(value))
		return strdup(bt_value_string_get(value));
	if (bt_value_is_signed_integer(value))
		snprintf(text, sizeof(text), "%" PRId64, bt_value_integer_signed_get(value));
	return strdup(text);
}

static int add_env(struct kp_ctf_meta *meta, const bt_trace *trace)
{
	const uint64_t count = bt_trace_get_environment_entry_count(trace);
	struct kp_ctf_env *env;
	const bt_value *value;

	for (uint64_t i = 0; i < count; i++) {
		env = KP_PUSH(&meta->env);
		if (!env)
			return -1;
		bt_trace_borrow_environment_entry_by_index_const(trace, i, &env->key, &value);
		env->text = text_of(value);
		if (!env->text)
			return -1;
	}
	return 0;
}

const char *kp_ctf_env(const struct kp_ctf_meta *meta, const char *key)
{
	for (size_t i = 0; i < meta->env.count; i++)
		if (!strcmp(meta->env.items[i].key, key))
			return meta->env.items[i].text;
	return NULL;
}

static void take_id(struct kp_ctf_meta *meta, const bt_trace *trace, uint64_t mip)
{
	const char *uid = mip && bt_trace_get_uid ? bt_trace_get_uid(trace) : NULL;
	const uint8_t *uuid = mip ? NULL : bt_trace_get_uuid(trace);
	size_t used = 0, i;

	if (uid)
		snprintf(meta->trace_id, sizeof(meta->trace_id), "%s", uid);
	for (i = 0; uuid && i < 16; i++)
		used += (size_t)snprintf(meta->trace_id + used, sizeof(meta->trace_id) - used, "%s%02x",
					 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

int kp_ctf_meta_read(struct kp_ctf_meta *meta, const bt_trace *trace, uint64_t mip)
{
	const bt_trace_class *class = bt_trace_borrow_class_const(trace);

	take_id(meta, trace, mip);
	if (add_env(meta, trace))
		return -1;
	for (uint64_t i = 0; i < bt_trace_class_get_stream_class_count(class); i++)
		if (add_stream(meta, bt_trace_class_borrow_stream_class_by_index_const(class, i)))
			return -1;
	return 0;
}

void kp_ctf_meta_free(struct kp_ctf_meta *meta)
{
	for (size_t i = 0; i < meta->env.count; i++)
		free(meta->env.items[i].text);
	for (size_t i = 0; i < meta->streams.count; i++)
		free(meta->streams.items[i].context.items);
	for (size_t i = 0; i < meta->events.count; i++) {
		free(meta->events.items[i].name);
		free(meta->events.items[i].context.items);
		free(meta->events.items[i].fields.items);
	}
	kp_map_free(&meta->by_class);
	free(meta->env.items);
	free(meta->streams.items);
	free(meta->events.items);
	memset(meta, 0, sizeof(*meta));
}

static void read_field(struct kp_ctf_values *all, const struct kp_ctf_field *field, const bt_field *from)
{
	struct kp_ctf_value value = {0};

	if (bt_field_class_type_is(field->type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
		value.number = bt_field_integer_unsigned_get_value(from);
	} else if (bt_field_class_type_is(field->type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		value.number = (uint64_t)bt_field_integer_signed_get_value(from);
	} else if (bt_field_class_type_is(field->type, BT_FIELD_CLASS_TYPE_STRING)) {
		value.text = bt_field_string_get_value(from);
		value.len = bt_field_string_get_length(from);
	} else {
		return;
	}
	all->there |= 1ull << field->want;
	all->values[field->want] = value;
}

void kp_ctf_read_fields(struct kp_ctf_values *all, const struct kp_ctf_fields *fields, const bt_field *from)
{
	for (size_t i = 0; from && i < fields->count; i++)
		if (fields->items[i].want)
			read_field(all, &fields->items[i],
				   bt_field_structure_borrow_member_field_by_index_const(from, i));
}
