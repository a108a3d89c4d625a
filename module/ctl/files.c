// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device nodes for scripts: ctl, tracepoints, aux and cpuNNN. Creates the nodes, opens the files
 * and executes the commands written to them, one per line. Makes the content of ctl, tracepoints
 * and aux when a read begins at offset 0. Each CPU has a node, so the nodes have a major number.
 */
#include <linux/cdev.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat/version.h"
#include "core/memory.h"
#include "ctl/ctl.h"
#include "names/table.h"
#include "point/point.h"
#include "record/record.h"
#include "session/sessions.h"
#include "uapi/kutrace_files.h"

#define KU_COMMANDS_MAX	4096	/* longest write, in bytes */
#define KU_WORDS_MAX	3

static struct cdev ku_files_cdev;
static struct class *ku_files_class;
static dev_t ku_files_dev;
static umode_t ku_files_mode;
static kgid_t ku_files_gid;
static struct device **ku_files_nodes;

/*
 * Returns true if the file may change its session's recording, and may read the session's events
 * and names. States and counts can be read by everyone who may control.
 */
static bool ku_files_owns(const struct ku_open *mine)
{
	return mine->owns_main || mine->session != ku_session_main();
}

/* ---- reading ---- */

static char *ku_ctl_text(struct ku_session *session, size_t *len)
{
	char *text = __vmalloc(64, GFP_KERNEL_ACCOUNT);

	if (text)
		*len = scnprintf(text, 64, "setmask 0x%016llx 0x%016llx\n",
				 ku_session_kinds(session), KUTRACE_KINDS_ALL);
	return text;
}

static char *ku_aux_snapshot(struct ku_session *session, size_t *len)
{
	struct ku_aux *aux = ku_session_aux(session);
	struct kutrace_aux_file *head;
	u32 bytes = aux->bytes;
	char *data;

	BUILD_BUG_ON(sizeof(*head) > KUTRACE_AUX_HEAD_BYTES);
	data = __vmalloc(KUTRACE_AUX_HEAD_BYTES + bytes, KU_LARGE_GFP);
	if (!data)
		return NULL;
	head = (void *)data;
	ku_aux_copy(aux, data + KUTRACE_AUX_HEAD_BYTES, &head->first, &head->last, &head->lost);
	head->magic = KUTRACE_AUX_MAGIC;
	head->header_version = KUTRACE_AUX_VERSION;
	head->aux_version = KUTRACE_AUX_VERSION;
	head->block_version = KUTRACE_FILE_VERSION << 16;
	head->ncpus = nr_cpu_ids;
	head->header_bytes = KUTRACE_AUX_HEAD_BYTES;
	head->buffer_bytes = bytes;
	*len = KUTRACE_AUX_HEAD_BYTES + bytes;
	return data;
}

static int ku_files_make(struct ku_open *mine)
{
	struct ku_session *session = mine->session;

	vfree(mine->data);
	mine->len = 0;
	if (mine->minor == KU_NODE_CTL)
		mine->data = ku_ctl_text(session, &mine->len);
	else if (mine->minor == KU_NODE_LIST)
		mine->data = ku_files_list(session, &mine->len);
	else
		mine->data = ku_aux_snapshot(session, &mine->len);
	return mine->data ? 0 : -ENOMEM;
}

static ssize_t ku_files_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	struct ku_open *mine = file->private_data;
	ssize_t done = 0;

	mutex_lock(&mine->lock);
	if (READ_ONCE(mine->session->dead))
		done = -ENODEV;
	else if (mine->minor >= KU_NODE_AUX && !ku_files_owns(mine))
		done = -EACCES;
	else if (mine->minor >= KU_NODE_CPU)
		done = ku_files_cpu_read(mine, to, count);
	else if (!*at)
		done = ku_files_make(mine);
	if (!done && mine->minor < KU_NODE_CPU)
		done = simple_read_from_buffer(to, count, at, mine->data, mine->len);
	mutex_unlock(&mine->lock);
	return done;
}

/* ---- commands ---- */

/* Discards the data read from the previous session or recording. */
static void ku_files_forget(struct ku_open *mine)
{
	mine->len = 0;
	mine->used = 0;
	mine->recording = 0;
	mine->after = 0;
	mine->expected = 0;
	mine->stored = 0;
	mine->since_passed = false;
	mine->lost = false;
}

static int ku_files_session(struct file *file, const char *name)
{
	struct ku_open *mine = file->private_data;
	struct ku_session *session;

	/* A caller may be waiting on the present session's wait queue. */
	if (mine->polled)
		return -EBUSY;
	session = ku_session_find(name);
	if (!session)
		return -ENOENT;
	if (!ku_access_owns(file, session)) {
		ku_session_put(session);
		return -EACCES;
	}
	ku_session_put(mine->session);
	mine->session = session;
	ku_files_forget(mine);
	return 0;
}

static int ku_ctl_command(struct ku_open *mine, char **word, int words)
{
	u64 value, mask;

	if (words < 2 || kstrtoull(word[1], 0, &value))
		return -EINVAL;
	mask = value;
	if (words == 3 && !strcmp(word[0], "setmask")) {
		if (kstrtoull(word[2], 0, &mask))
			return -EINVAL;
	} else if (words == 2 && !strcmp(word[0], "clrbits")) {
		value = 0;
	} else if (words != 2 || strcmp(word[0], "setbits")) {
		return -EINVAL;
	}
	return ku_session_set_kinds(mine->session, value, mask);
}

static int ku_list_command(struct ku_open *mine, char **word, int words)
{
	bool on = words == 2 && !strcmp(word[1], "on");

	if (!on && (words != 2 || strcmp(word[1], "off")))
		return -EINVAL;
	return ku_files_switch(mine->session, word[0], on);
}

static int ku_cpu_command(struct ku_open *mine, char **word, int words)
{
	if (words != 2 || strcmp(word[0], "settimestamp"))
		return -EINVAL;
	mine->since_passed = false;
	return kstrtoull(word[1], 0, &mine->since) ? -EINVAL : 0;
}

static int ku_files_command(struct file *file, char *line)
{
	struct ku_open *mine = file->private_data;
	char *word[KU_WORDS_MAX], *next;
	int words = 0;

	while ((next = strsep(&line, " \t\r"))) {
		if (!*next)
			continue;
		if (words == KU_WORDS_MAX)
			return -EINVAL;
		word[words++] = next;
	}
	if (!words)
		return 0;
	if (words == 2 && !strcmp(word[0], "session"))
		return ku_files_session(file, word[1]);
	if (READ_ONCE(mine->session->dead))
		return -ENODEV;
	if (!ku_files_owns(mine))
		return -EACCES;
	switch (mine->minor) {
	case KU_NODE_CTL:
		return ku_ctl_command(mine, word, words);
	case KU_NODE_LIST:
		return ku_list_command(mine, word, words);
	case KU_NODE_AUX:
		return -EINVAL;
	default:
		return ku_cpu_command(mine, word, words);
	}
}

/* Executes the commands in order, up to the first that fails. Returns its error, or @count. */
static ssize_t ku_files_write(struct file *file, const char __user *from, size_t count,
			      loff_t *at)
{
	struct ku_open *mine = file->private_data;
	char *text, *rest, *line;
	int err = 0;

	if (count > KU_COMMANDS_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (strlen(text) != count)
		err = -EINVAL;
	rest = text;
	mutex_lock(&mine->lock);
	while (!err && (line = strsep(&rest, "\n"))) {
		/*
		 * One write can have hundreds of commands, and each may patch the kernel's code. A
		 * killed caller does not execute them all.
		 */
		err = fatal_signal_pending(current) ? -EINTR : ku_files_command(file, line);
		if (err)
			pr_debug("kutrace: \"%s\": error %d; the commands are setmask VALUE MASK, setbits BITS, clrbits BITS and session NAME (ctl), PATTERN on|off (tracepoints), settimestamp COUNT (cpuNNN)\n",
				 line, err);
	}
	mutex_unlock(&mine->lock);
	/* Programs must see the change before this call returns. */
	ku_point_bytes_flush();
	kfree(text);
	return err ?: (ssize_t)count;
}

/* ---- open files ---- */

static __poll_t ku_files_poll(struct file *file, poll_table *wait)
{
	struct ku_open *mine = file->private_data;
	__poll_t ready = EPOLLERR;

	if (mine->minor < KU_NODE_CPU)
		return EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;
	mutex_lock(&mine->lock);
	/* epoll registers a file once, so the session must not change any more. */
	mine->polled = true;
	/* Only files that may read the blocks enter the wait queue: see ku_dev_poll(). */
	if (ku_files_owns(mine)) {
		poll_wait(file, &mine->session->wait, wait);
		ready = ku_files_cpu_poll(mine);
	}
	mutex_unlock(&mine->lock);
	return ready | EPOLLOUT | EPOLLWRNORM;
}

/* A reader also needs the right to write to the node, which is the right to control. */
static int ku_files_open(struct inode *inode, struct file *file)
{
	struct ku_open *mine;

	if (!ku_access_allowed())
		return -ENODEV;
	if (!ku_access_capable(file) && file_permission(file, MAY_WRITE))
		return -EPERM;
	if (ku_access_locked_down())
		return -EPERM;
	mine = kzalloc(sizeof(*mine), GFP_KERNEL_ACCOUNT);
	if (!mine)
		return -ENOMEM;
	mutex_init(&mine->lock);
	mine->session = ku_session_get(ku_session_main());
	mine->owns_main = ku_access_owns(file, mine->session);
	mine->minor = iminor(inode) - MINOR(ku_files_dev);
	mine->cpu = mine->minor - KU_NODE_CPU;
	file->private_data = mine;
	return mine->minor < KU_NODE_CPU ? 0 : nonseekable_open(inode, file);
}

static int ku_files_release(struct inode *inode, struct file *file)
{
	struct ku_open *mine = file->private_data;

	ku_session_put(mine->session);
	vfree(mine->data);
	kfree(mine);
	return 0;
}

static const struct file_operations ku_files_fops = {
	.owner = THIS_MODULE,
	.open = ku_files_open,
	.release = ku_files_release,
	.read = ku_files_read,
	.write = ku_files_write,
	.poll = ku_files_poll,
	.llseek = default_llseek,
};

/* ---- nodes ---- */

static char *ku_files_devnode(KU_DEVNODE_CONST struct device *dev, umode_t *mode, kuid_t *uid,
			      kgid_t *gid)
{
	/* Both pointers are NULL when the node is removed. */
	if (mode)
		*mode = ku_files_mode;
	if (gid)
		*gid = ku_files_gid;
	return NULL;		/* the name of the device */
}

static const struct device_type ku_files_type = {
	.name = "kutrace",
	.devnode = ku_files_devnode,
};

static void ku_files_free(struct device *dev)
{
	kfree(dev);
}

/* Adds the node. The kernel turns the ! of its name into a slash. */
static struct device *ku_files_node(u32 minor)
{
	static const char * const names[KU_NODE_CPU] = { "ctl", "tracepoints", "aux" };
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->devt = ku_files_dev + minor;
	dev->class = ku_files_class;
	dev->type = &ku_files_type;
	dev->release = ku_files_free;
	if (minor < KU_NODE_CPU)
		err = dev_set_name(dev, "kutrace!%s", names[minor]);
	else
		err = dev_set_name(dev, "kutrace!cpu%03u", minor - KU_NODE_CPU);
	if (!err)
		err = device_add(dev);
	if (!err)
		return dev;
	put_device(dev);
	return ERR_PTR(err);
}

static u32 ku_files_count(void)
{
	return KU_NODE_CPU + nr_cpu_ids;
}

static bool ku_files_has_node(u32 minor)
{
	return minor < KU_NODE_CPU || cpu_possible(minor - KU_NODE_CPU);
}

static void ku_files_remove(void)
{
	u32 minor;

	for (minor = 0; minor < ku_files_count(); minor++)
		if (ku_files_nodes[minor])
			device_unregister(ku_files_nodes[minor]);
	kvfree(ku_files_nodes);
}

static int ku_files_add(void)
{
	u32 minor;

	ku_files_nodes = kvcalloc(ku_files_count(), sizeof(*ku_files_nodes), GFP_KERNEL);
	if (!ku_files_nodes)
		return -ENOMEM;
	for (minor = 0; minor < ku_files_count(); minor++) {
		struct device *dev;

		if (!ku_files_has_node(minor))
			continue;
		dev = ku_files_node(minor);
		if (IS_ERR(dev)) {
			ku_files_remove();
			return PTR_ERR(dev);
		}
		ku_files_nodes[minor] = dev;
	}
	return 0;
}

int ku_files_init(umode_t mode, kgid_t gid)
{
	int err;

	ku_files_mode = mode & 0666;
	ku_files_gid = gid_valid(gid) ? gid : GLOBAL_ROOT_GID;
	err = alloc_chrdev_region(&ku_files_dev, 0, ku_files_count(), "kutrace");
	if (err)
		return err;
	cdev_init(&ku_files_cdev, &ku_files_fops);
	ku_files_cdev.owner = THIS_MODULE;
	err = cdev_add(&ku_files_cdev, ku_files_dev, ku_files_count());
	if (err)
		goto region;
	ku_files_class = ku_class_create("kutrace");
	if (IS_ERR(ku_files_class)) {
		err = PTR_ERR(ku_files_class);
		goto cdev;
	}
	err = ku_files_add();
	if (!err)
		return 0;
	class_destroy(ku_files_class);
cdev:
	cdev_del(&ku_files_cdev);
region:
	unregister_chrdev_region(ku_files_dev, ku_files_count());
	return err;
}

void ku_files_exit(void)
{
	ku_files_remove();
	class_destroy(ku_files_class);
	cdev_del(&ku_files_cdev);
	unregister_chrdev_region(ku_files_dev, ku_files_count());
}
