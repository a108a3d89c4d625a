# SPDX-License-Identifier: BSD-3-Clause
#
# Builds libkutrace (.a and .so), kutrace_control and kutrace_crash. The names of system calls come from the UAPI
# headers that the compiler finds.

# Code that the library and the filters share. It is in libkutrace.a and in libkp.a.
KU_COMMON_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard control/common/*.c)))
KU_LIB_SRCS := $(sort $(wildcard control/lib/*.c control/lib/*/*.c))
KU_LIB_OBJS := $(KU_LIB_SRCS:%.c=$(BUILD)/obj/%.o)
KU_CONTROL_SRCS := $(sort $(wildcard control/cli/*.c control/cli/*/*.c))
KU_CONTROL_OBJS := $(KU_CONTROL_SRCS:%.c=$(BUILD)/obj/%.o)
KU_HEADERS := control/include/libkutrace.h control/include/kutrace_lib.h module/uapi/kutrace_abi.h \
	module/uapi/kutrace_events.h module/uapi/kutrace_events.def module/uapi/kutrace_point.h \
	module/uapi/kutrace_call.h module/uapi/kutrace_files.h
KU_MAN := docs/reference/man/kutrace_control.1 docs/reference/man/kutrace.1 $(wildcard docs/reference/man/kutrace-*.1) docs/reference/man/libkutrace.3 docs/reference/man/kutrace_point.3 docs/reference/man/kutrace.4

KU_SONAME := libkutrace.so.1
# libkutrace_lib is the same library, under the name in the User Guide's compile lines.
LIBS += $(BUILD)/lib/libkutrace.a $(BUILD)/lib/libkutrace.so \
	$(BUILD)/lib/libkutrace_lib.a $(BUILD)/lib/libkutrace_lib.so
TOOLS += $(BUILD)/bin/kutrace_control
INSTALL_STEPS += install-control

# --- system call names ------------------------------------------------------
# x86 has a header for each table. Other architectures have one table, and none for 32-bit calls. In addition to this
# machine's tables, the library has the table that most architectures share, for their traces and dumps.

KU_ASM64 := $(shell printf '\043include <asm/unistd_64.h>\n' | \
	$(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo asm/unistd_64.h || echo asm/unistd.h)
KU_ASM32 := $(shell printf '\043include <asm/unistd_32.h>\n' | \
	$(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo asm/unistd_32.h)
KU_SYSCALL_INCS := $(BUILD)/gen/kutrace_syscalls64.inc \
	$(if $(KU_ASM32),$(BUILD)/gen/kutrace_syscalls32.inc)

# $(1): header; $(2): first number that has no event number; $(3): further options of the compiler
define KU_GEN_SYSCALLS
	@mkdir -p $(@D)
	printf '\043include <$(1)>\n' | $(CC) $(CPPFLAGS) -E -dM $(3) - >$@.tmp
	{ printf '/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made from <$(1)>. */\n'; \
		awk -v limit=$(2) -f control/lib/names/gen_syscall_names.awk $@.tmp; } >$@.new
	@mv $@.new $@ && rm -f $@.tmp
endef

$(BUILD)/gen/kutrace_syscalls64.inc: control/lib/names/gen_syscall_names.awk control/rules.mk
	$(call KU_GEN_SYSCALLS,$(KU_ASM64),512)

$(BUILD)/gen/kutrace_syscalls32.inc: control/lib/names/gen_syscall_names.awk control/rules.mk
	$(call KU_GEN_SYSCALLS,$(KU_ASM32),510)

# Macros that 64-bit architectures define before they include this header.
KU_GENERIC := $(addprefix -D__ARCH_WANT_,RENAMEAT NEW_STAT SET_GET_RLIMIT TIME32_SYSCALLS SYS_CLONE3 MEMFD_SECRET)
$(BUILD)/gen/kutrace_syscalls_generic.inc: control/lib/names/gen_syscall_names.awk control/rules.mk
	$(call KU_GEN_SYSCALLS,asm-generic/unistd.h,512,$(KU_GENERIC))

$(BUILD)/obj/control/lib/names/tables.o: CPPFLAGS += $(if $(KU_ASM32),-DKUTRACE_HAVE_SYSCALLS32)
$(BUILD)/obj/control/lib/names/tables.o: $(KU_SYSCALL_INCS) $(BUILD)/gen/kutrace_syscalls_generic.inc

# Names of errors, by number.
$(BUILD)/gen/kutrace_errors.inc: control/rules.mk
	@mkdir -p $(@D)
	printf '\043include <errno.h>\n' | $(CC) $(CPPFLAGS) -E -dM - | LC_ALL=C sort | \
		awk '$$2 ~ /^E/ && $$3 ~ /^[0-9]+$$/ && !seen[$$3]++ { printf "\t[%d] = \"%s\",\n", $$3, $$2 }' >$@.new
	@test -s $@.new && mv $@.new $@

$(BUILD)/obj/control/common/c_locale.o: $(BUILD)/gen/kutrace_errors.inc

# --- library ----------------------------------------------------------------

$(BUILD)/lib/libkutrace.a: $(KU_LIB_OBJS) $(KU_COMMON_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $^

# The archive comes last, so the library gets only the shared code that it calls.
$(BUILD)/lib/$(KU_SONAME): $(KU_LIB_OBJS) $(BUILD)/lib/libkutrace.a control/dist/libkutrace.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(KU_SONAME) -Wl,-z,defs \
		-Wl,--version-script=control/dist/libkutrace.map $(KU_LIB_OBJS) \
		$(BUILD)/lib/libkutrace.a -lpthread -o $@

$(BUILD)/lib/libkutrace.so: $(BUILD)/lib/$(KU_SONAME)
	ln -sf $(KU_SONAME) $@

$(BUILD)/lib/libkutrace_lib.%: $(BUILD)/lib/libkutrace.%
	ln -sf $(<F) $@

# --- tool -------------------------------------------------------------------
# With STATIC=1, the program needs no library at run time, not even a C library.

$(BUILD)/bin/kutrace_control: $(KU_CONTROL_OBJS) $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(if $(STATIC),-static) $^ -lpthread -o $@

STATIC_TOOLS += $(BUILD)/bin/static/kutrace_control

$(BUILD)/bin/static/kutrace_control: $(KU_CONTROL_OBJS) $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -static $^ -lpthread -o $@

# --- kutrace ------------------------------------------------------------------
# Starts the other programs. Shares the code for messages, options and users with kutrace_control.

KU_FRONT_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard control/front/*.c))) \
	$(filter $(BUILD)/obj/control/cli/base/% $(addprefix $(BUILD)/obj/control/cli/shared/,programs.o user.o write.o),$(KU_CONTROL_OBJS))
TOOLS += $(BUILD)/bin/kutrace
STATIC_TOOLS += $(BUILD)/bin/static/kutrace

$(BUILD)/bin/kutrace: $(KU_FRONT_OBJS) $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(if $(STATIC),-static) $^ -lpthread -o $@

$(BUILD)/bin/static/kutrace: $(KU_FRONT_OBJS) $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -static $^ -lpthread -o $@

# --- kutrace_crash ------------------------------------------------------------
# It needs zlib for the pages of dumps, and uses zstd if that is installed.

KU_CRASH_SRCS := $(sort $(wildcard control/crash/*.c))
KU_CRASH_OBJS := $(KU_CRASH_SRCS:%.c=$(BUILD)/obj/%.o)
KU_CRASH_LDLIBS := -lz $(if $(HAVE_ZSTD),-lzstd) -lpthread
TOOLS += $(BUILD)/bin/kutrace_crash

$(BUILD)/obj/control/crash/kdump.o: CPPFLAGS += $(if $(HAVE_ZSTD),-DKU_HAVE_ZSTD)

$(BUILD)/bin/kutrace_crash: $(KU_CRASH_OBJS) $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(KU_CRASH_LDLIBS) -o $@

# Folder that kutrace_lib.cc searches for the library if the loader does not find it. It is empty for /usr/lib*: the loader
# searches there itself, and packages of two architectures must install the same file.
KU_FALLBACK = $(if $(filter /usr/lib%,$(LIBDIR)),,$(LIBDIR)/)

# Folders in which the distribution has units and zsh's completion.
$(eval $(call FOLDER,UNITDIR,$(PREFIX)/lib/systemd/system))
$(eval $(call FOLDER,ZSHDIR,$(PREFIX)/share/zsh/site-functions))
KU_COMPLETED = $(filter-out kutrace kutrace_control,$(sort $(notdir $(TOOLS))))

.PHONY: install-control
install-control: built-libs
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR) \
		$(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man3 \
		$(DESTDIR)$(MANDIR)/man4
	install -m 644 $(BUILD)/lib/libkutrace.a $(DESTDIR)$(LIBDIR)
	install -m 755 $(BUILD)/lib/$(KU_SONAME) $(DESTDIR)$(LIBDIR)
	ln -sf $(KU_SONAME) $(DESTDIR)$(LIBDIR)/libkutrace.so
	ln -sf libkutrace.so $(DESTDIR)$(LIBDIR)/libkutrace_lib.so
	ln -sf libkutrace.a $(DESTDIR)$(LIBDIR)/libkutrace_lib.a
	umask 022; sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@INCLUDEDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))|' control/dist/libkutrace.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/libkutrace.pc
	install -m 644 $(KU_HEADERS) $(DESTDIR)$(INCLUDEDIR)
	umask 022; sed -e 's|@LIBDIR@/|$(KU_FALLBACK)|' control/dist/kutrace_lib.cc.in >$(DESTDIR)$(INCLUDEDIR)/kutrace_lib.cc
	install -D -m 644 control/dist/60-kutrace.rules \
		$(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-kutrace.rules
	install -D -m 644 control/dist/kutrace.sysusers \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d/kutrace.conf
	install -d $(DESTDIR)$(UNITDIR)
	umask 022; sed -e 's|@PREFIX@|$(PREFIX)|' control/dist/kutrace-recorder.service.in \
		>$(DESTDIR)$(UNITDIR)/kutrace-recorder.service
	umask 022; sed -e 's|@PREFIX@|$(PREFIX)|' control/dist/kutrace-receive@.service.in \
		>$(DESTDIR)$(UNITDIR)/kutrace-receive@.service
	install -m 644 control/dist/kutrace-receive.socket $(DESTDIR)$(UNITDIR)
	install -D -m 644 control/dist/completion.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/kutrace_control
	ln -sf kutrace_control $(DESTDIR)$(PREFIX)/share/bash-completion/completions/kutrace
	umask 022; sed 's|@TOOLS@|$(KU_COMPLETED)|' control/dist/completion-filters.bash \
		>$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$(firstword $(KU_COMPLETED))
	for tool in $(wordlist 2,99,$(KU_COMPLETED)); do \
		ln -sf $(firstword $(KU_COMPLETED)) \
			$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$tool || exit 1; \
	done
	install -d $(DESTDIR)$(ZSHDIR)
	umask 022; sed 's|@TOOLS@|$(KU_COMPLETED)|' control/dist/_kutrace.in >$(DESTDIR)$(ZSHDIR)/_kutrace
	for page in $(KU_MAN); do \
		install -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}; \
	done

# The tests of the tool link its commands without its main(). The test of dumps makes writes fail, and the test of the
# control system call simulates the kernel.
UNIT_EXTRA_test_lib_tool := $(filter-out %/cli/main.o,$(KU_CONTROL_OBJS))
$(foreach test,lib_edit lib_watch lib_main lib_commands lib_tool_stream lib_user lib_page doctor, \
	$(eval UNIT_EXTRA_test_$(test) := $(UNIT_EXTRA_test_lib_tool)))
UNIT_EXTRA_test_selftest := $(filter-out %/selftest/order.o,$(UNIT_EXTRA_test_lib_tool))
$(foreach test,block memory session, \
	$(eval UNIT_EXTRA_test_crash_$(test) := $(filter-out %/crash/main.o,$(KU_CRASH_OBJS))) \
	$(eval UNIT_LDLIBS_test_crash_$(test) := $(KU_CRASH_LDLIBS)))
UNIT_LDLIBS_test_lib_commands := -Wl,--wrap=clock_gettime
UNIT_LDLIBS_test_lib_tool_stream := -Wl,--wrap=clock_gettime,--wrap=time,--wrap=fsync,--wrap=rename
UNIT_LDLIBS_test_lib_call := -Wl,--wrap=syscall,--wrap=open
UNIT_LDLIBS_test_lib_dump_file := -Wl,--wrap=writev,--wrap=fsync

# kutrace_control with a simulated recording, for tests/cli/fleet.sh.
$(BUILD)/tests/recording: $(BUILD)/obj/tests/cli/recording.o $(KU_CONTROL_OBJS) \
		$(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lpthread -o $@
