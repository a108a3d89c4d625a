// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed tracepoints, of programs and of kernel modules: a definition gets an id that
 * stays its own as long as the module is loaded, and a flag, which is set while the
 * tracepoint is switched on and some session records their kind. A byte in the object of
 * every tracepoint follows it: those of kernel modules are written here, those of programs
 * by ku_point_user.c. Must never take a definition for what its maker says it is: texts
 * are checked, and there is a limit to them.
 *
 * Locking: ku_point_lock is taken inside ku_session_lock and takes nothing but memory and
 * what ku_point_user_changed() takes. Recording takes no lock: definitions never go.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ku_aux.h"
#include "ku_point.h"
#include "ku_session.h"
#include "uapi/kutrace_point.h"

#define KU_POINT_DEFS		4096	/* in all */
#define KU_POINT_MARKER_DEFS	1024	/* of these by those who may only mark */
#define KU_POINT_NAME_MAX	63
#define KU_POINT_HASH_BITS	9

static DEFINE_MUTEX(ku_point_lock);
static DEFINE_HASHTABLE(ku_point_table, KU_POINT_HASH_BITS);
static struct ku_point **ku_point_defs;	/* by id - 1 */
static u32 ku_point_count, ku_point_marker_count;
static bool ku_point_wanted;		/* a session records them */

/* Programs are told of it by ku_point_user_changed(). */
static void ku_point_flag(struct ku_point *point)
{
	struct kutrace_point *object;

	WRITE_ONCE(point->flag, point->on && ku_point_wanted);
	for (object = point->objects; object; object = object->next)
		WRITE_ONCE(object->on, point->flag);
}

/* ---- definitions ---- */

static const char * const ku_point_types[] = {
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64",
	"ptr", "double", "str",
};

/* Length of the identifier there; those of tracepoints may have . : - inside. */
static size_t ku_point_identifier(const char *at, const char *more)
{
	size_t len = 0;

	/* isalpha() alone takes Latin-1, too */
	while ((isascii(at[len]) && isalpha(at[len])) || at[len] == '_' ||
	       (len && at[len] && (isdigit(at[len]) || strchr(more, at[len]))))
		len++;
	return len;
}

/* " TYPE FIELD" or ", TYPE FIELD"; what is behind it, or NULL. */
static const char *ku_point_field(const char *at, bool first)
{
	size_t len, i;

	if (!first && *at++ != ',')
		return NULL;
	if (*at++ != ' ')
		return NULL;
	len = ku_point_identifier(at, "");
	for (i = 0; i < ARRAY_SIZE(ku_point_types); i++)
		if (strlen(ku_point_types[i]) == len && !memcmp(ku_point_types[i], at, len))
			break;
	at += len;
	if (i == ARRAY_SIZE(ku_point_types) || *at++ != ' ')
		return NULL;
	len = ku_point_identifier(at, "");
	return len ? at + len : NULL;
}

/* "NAME TYPE FIELD, TYPE FIELD|FORMAT". Length of the name, 0: it is none. */
static size_t ku_point_check(const char *text)
{
	size_t name = ku_point_identifier(text, ".:-");
	const char *at = text + name;
	u32 fields = 0;

	if (!name || name > KU_POINT_NAME_MAX)
		return 0;
	while (*at && *at != '|') {
		if (fields++ == KUTRACE_POINT_WORDS)
			return 0;
		at = ku_point_field(at, fields == 1);
		if (!at)
			return 0;
	}
	if (!*at)
		return 0;
	for (; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7F)
			return 0;
	return name;
}

static struct ku_point *ku_point_find(const char *text, size_t len, u32 hash)
{
	struct ku_point *point;

	hash_for_each_possible(ku_point_table, point, node, hash)
		if (point->hash == hash && point->len == len && !memcmp(point->text, text, len))
			return point;
	return NULL;
}

/* One of that name that was switched off stays so when its fields change. */
static bool ku_point_was_on(const char *name, size_t len)
{
	u32 i;

	for (i = ku_point_count; i--;)
		if (ku_point_defs[i]->name_len == len && !memcmp(ku_point_defs[i]->text, name, len))
			return ku_point_defs[i]->on;
	return true;
}

static struct ku_point *ku_point_add(const char *text, size_t len, u32 hash, bool control)
{
	size_t name = ku_point_check(text);
	struct ku_point *point;

	if (!name)
		return ERR_PTR(-EINVAL);
	if (ku_point_count == KU_POINT_DEFS ||
	    (!control && ku_point_marker_count == KU_POINT_MARKER_DEFS))
		return ERR_PTR(-ENOSPC);
	point = kzalloc(struct_size(point, text, len + 1), GFP_KERNEL_ACCOUNT);
	if (!point)
		return ERR_PTR(-ENOMEM);
	memcpy(point->text, text, len);
	point->len = (u16)len;
	point->name_len = (u8)name;
	point->hash = hash;
	point->id = ku_point_count + 1;
	point->on = ku_point_was_on(text, name);
	ku_point_flag(point);
	hash_add(ku_point_table, &point->node, hash);
	ku_point_defs[ku_point_count] = point;
	ku_point_marker_count += !control;
	/* Whoever sees the count sees the definition. */
	smp_store_release(&ku_point_count, ku_point_count + 1);
	return point;
}

/* Calls name() for each piece, of 56 bytes at most. */
static void ku_point_pieces(const struct ku_point *point,
			    void (*name)(void *arg, u32 number, const char *text, size_t len),
			    void *arg)
{
	u32 at, piece = 0;

	for (at = 0; at < point->len; at += KUTRACE_NAME_MAX_BYTES, piece++)
		name(arg, KUTRACE_POINT_NUMBER(point->id, piece), point->text + at,
		     min_t(size_t, point->len - at, KUTRACE_NAME_MAX_BYTES));
}

static void ku_point_name_here(void *unused, u32 number, const char *text, size_t len)
{
	preempt_disable();
	ku_sessions_name(KUTRACE_NAME_EVENTDEF, number, text, len);
	preempt_enable();
}

/*
 * Its id, or -errno. A session that starts meanwhile may miss the name: dumps ask for
 * all definitions besides (LIST).
 */
static int ku_point_define(const char *text, bool control)
{
	size_t len = strlen(text);
	u32 hash = jhash(text, len, 0);
	struct ku_point *point;
	bool fresh;

	mutex_lock(&ku_point_lock);
	point = ku_point_find(text, len, hash);
	fresh = !point;
	if (fresh)
		point = ku_point_add(text, len, hash, control);
	if (!IS_ERR(point) && point->defined != U32_MAX)
		point->defined++;
	mutex_unlock(&ku_point_lock);
	if (IS_ERR(point))
		return PTR_ERR(point);
	if (fresh)
		ku_point_pieces(point, ku_point_name_here, NULL);
	return (int)point->id;
}

/* Definition id (1 ...), NULL: there is none. */
static struct ku_point *ku_point_get(u32 id)
{
	/* Pairs with the release in ku_point_add(). */
	u32 count = smp_load_acquire(&ku_point_count);

	if (!id || id > count)
		return NULL;
	return ku_point_defs[array_index_nospec(id - 1, count)];
}

/* ---- for sessions ---- */

void ku_point_changed(bool wanted)
{
	u32 i;

	mutex_lock(&ku_point_lock);
	if (ku_point_wanted != wanted) {
		ku_point_wanted = wanted;
		for (i = 0; i < ku_point_count; i++)
			ku_point_flag(ku_point_defs[i]);
		ku_point_user_changed();
	}
	mutex_unlock(&ku_point_lock);
}

struct ku_point_aux {
	struct ku_aux *aux;
	u64 counts;
};

static void ku_point_name_aux(void *arg, u32 number, const char *text, size_t len)
{
	const struct ku_point_aux *to = arg;

	ku_aux_add(to->aux, KUTRACE_NAME_EVENTDEF, number, text, len, to->counts);
}

void ku_point_name_all(struct ku_aux *aux, u64 counts)
{
	struct ku_point_aux to = { .aux = aux, .counts = counts };
	u32 i;

	mutex_lock(&ku_point_lock);
	for (i = 0; i < ku_point_count; i++)
		ku_point_pieces(ku_point_defs[i], ku_point_name_aux, &to);
	mutex_unlock(&ku_point_lock);
}

/* ---- switches ---- */

/* Whether name is what pattern says; * is any number of characters, ? is one. */
bool ku_point_match(const char *pattern, const char *name, size_t len)
{
	const char *star = NULL;	/* the last * in pattern, and */
	size_t at = 0, resume = 0;	/* up to where in name it reaches */

	while (at < len) {
		if (*pattern == '*') {
			star = pattern++;
			resume = at;
		} else if (*pattern && (*pattern == '?' || *pattern == name[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star + 1;
			at = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

u32 ku_point_switch(const char *pattern, bool on)
{
	u32 count = 0, i;

	mutex_lock(&ku_point_lock);
	for (i = 0; i < ku_point_count; i++) {
		struct ku_point *point = ku_point_defs[i];

		if (!ku_point_match(pattern, point->text, point->name_len))
			continue;
		point->on = on;
		ku_point_flag(point);
		count++;
	}
	if (count)
		ku_point_user_changed();
	mutex_unlock(&ku_point_lock);
	return count;
}

bool ku_point_next(u32 id, struct kutrace_point_def *def)
{
	const struct ku_point *point = ku_point_get(max(id, 1U));

	if (!point)
		return false;
	memset(def, 0, sizeof(*def));
	mutex_lock(&ku_point_lock);
	def->length = sizeof(*def);
	def->id = point->id;
	def->on = point->on;
	def->defined = point->defined;
	memcpy(def->text, point->text, point->len);
	mutex_unlock(&ku_point_lock);
	return true;
}

/* ---- the device ---- */

static long ku_point_ioctl_def(unsigned int cmd, struct kutrace_point_def __user *user,
			       bool control)
{
	struct kutrace_point_def def;
	int id;

	if (copy_from_user(&def, user, sizeof(def)))
		return -EFAULT;
	if (def.length != sizeof(def))
		return -EINVAL;
	if (cmd == KUTRACE_IOC_POINT_DEFINE) {
		if (strnlen(def.text, sizeof(def.text)) == sizeof(def.text))
			return -EINVAL;
		id = ku_point_define(def.text, control);
		if (id < 0)
			return id;
		def.id = (u32)id;
	}
	if (!ku_point_next(def.id, &def))
		return -ENOENT;
	return copy_to_user(user, &def, sizeof(def)) ? -EFAULT : 0;
}

static long ku_point_ioctl_switch(struct kutrace_point_switch __user *user)
{
	struct kutrace_point_switch wanted;

	if (copy_from_user(&wanted, user, sizeof(wanted)))
		return -EFAULT;
	if (wanted.length != sizeof(wanted) || wanted.value > 1 ||
	    strnlen(wanted.name, sizeof(wanted.name)) == sizeof(wanted.name))
		return -EINVAL;
	wanted.count = ku_point_switch(wanted.name, wanted.value);
	if (!wanted.count)
		return -ENOENT;
	ku_point_user_settle();
	wanted.behind = ku_point_user_behind();
	return copy_to_user(user, &wanted, sizeof(wanted)) ? -EFAULT : 0;
}

static void ku_point_emit(u32 id, const u64 *payload, u32 nwords)
{
	u64 words[1 + KUTRACE_POINT_WORDS];
	u64 event = KUTRACE_NAME_TPOINT | (nwords + 1) << KUTRACE_NAME_LEN_SHIFT;

	words[0] = event << KUTRACE_EVENT_SHIFT | id;
	memcpy(words + 1, payload, nwords * sizeof(*words));
	preempt_disable_notrace();
	ku_sessions_emit(words, nwords + 1);
	preempt_enable_notrace();
}

static long ku_point_ioctl_record(const struct kutrace_point_entry __user *user)
{
	struct kutrace_point_entry entry;
	const struct ku_point *point;

	if (copy_from_user(&entry, user, sizeof(entry)))
		return -EFAULT;
	point = ku_point_get(entry.id);
	if (!point || entry.nwords > KUTRACE_POINT_WORDS)
		return -EINVAL;
	entry.nwords = array_index_nospec(entry.nwords, KUTRACE_POINT_WORDS + 1);
	/* Else switched off since its maker looked, or its maker cannot be told. */
	if (READ_ONCE(point->flag))
		ku_point_emit(entry.id, entry.words, entry.nwords);
	return 0;
}

static long ku_point_ioctl_byte(const struct kutrace_point_byte __user *user, bool control,
				const void *file)
{
	struct kutrace_point_byte byte;
	const struct ku_point *point;

	if (copy_from_user(&byte, user, sizeof(byte)))
		return -EFAULT;
	point = ku_point_get(byte.id);
	if (byte.length != sizeof(byte) || byte.reserved || !point)
		return -EINVAL;
	if (byte.address != (unsigned long)byte.address)
		return -EFAULT;
	return ku_point_user_follow(file, control, point, byte.address);
}

long ku_point_ioctl(unsigned int cmd, unsigned long arg, bool control, const void *file)
{
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case KUTRACE_IOC_POINT:
		return ku_point_ioctl_record(user);
	case KUTRACE_IOC_POINT_DEFINE:
		return ku_point_ioctl_def(cmd, user, control);
	case KUTRACE_IOC_POINT_BYTE:
		return ku_point_ioctl_byte(user, control, file);
	case KUTRACE_IOC_POINT_FORGET:
		return ku_point_user_forget(arg);
	case KUTRACE_IOC_POINT_LIST:
		return control ? ku_point_ioctl_def(cmd, user, control) : -EPERM;
	case KUTRACE_IOC_POINT_SWITCH:
		return control ? ku_point_ioctl_switch(user) : -EPERM;
	default:
		return -ENOTTY;
	}
}

/* ---- other kernel modules ---- */

int kutrace_point_attach_kernel(struct kutrace_point *object)
{
	char text[KUTRACE_POINT_TEXT_BYTES];
	struct ku_point *point;
	int id;

	if (!kutrace_point_text(object->desc, text))
		return -EINVAL;
	id = ku_point_define(text, true);
	if (id < 0)
		return id;
	mutex_lock(&ku_point_lock);
	point = ku_point_defs[id - 1];
	object->id = (u32)id;
	object->known = 1;
	object->next = point->objects;
	point->objects = object;
	/* Whoever sees it on sees its id. */
	smp_store_release(&object->on, point->flag);
	mutex_unlock(&ku_point_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(kutrace_point_attach_kernel);

void kutrace_point_detach_kernel(struct kutrace_point *object)
{
	struct kutrace_point **at;

	mutex_lock(&ku_point_lock);
	if (object->known) {
		object->known = 0;
		at = &ku_point_defs[object->id - 1]->objects;
		while (*at && *at != object)
			at = &(*at)->next;
		if (*at)
			*at = object->next;
	}
	WRITE_ONCE(object->on, 0);
	mutex_unlock(&ku_point_lock);
}
EXPORT_SYMBOL_GPL(kutrace_point_detach_kernel);

void kutrace_point_emit_kernel(const struct kutrace_point *point, const u64 *words,
			       u32 nwords)
{
	if (nwords <= KUTRACE_POINT_WORDS)
		ku_point_emit(point->id, words, nwords);
}
EXPORT_SYMBOL_GPL(kutrace_point_emit_kernel);

/* ---- init, exit ---- */

int ku_point_init(void)
{
	int err;

	BUILD_BUG_ON(KUTRACE_POINT_TEXT_BYTES != KUTRACE_POINT_DEF_BYTES);
	BUILD_BUG_ON(KUTRACE_POINT_FIELDS != KUTRACE_POINT_WORDS);
	BUILD_BUG_ON(KU_POINT_DEFS >= KUTRACE_POINT_IDS);
	ku_point_defs = kvcalloc(KU_POINT_DEFS, sizeof(*ku_point_defs), GFP_KERNEL);
	if (!ku_point_defs)
		return -ENOMEM;
	err = ku_point_user_init();
	if (err)
		kvfree(ku_point_defs);
	return err;
}

void ku_point_exit(void)
{
	u32 i;

	ku_point_user_exit();
	for (i = 0; i < ku_point_count; i++)
		kfree(ku_point_defs[i]);
	ku_point_count = 0;
	kvfree(ku_point_defs);
}
