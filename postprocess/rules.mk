# SPDX-License-Identifier: BSD-3-Clause

# The filters' library contains everything except tools/. Each filter links the whole library.
KP_LIB := $(BUILD)/lib/libkp.a
# Files that need a missing library are left out, with the tools that use these files.
KP_LIB_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out postprocess/tools/%\
	$(if $(HAVE_SQLITE),,postprocess/export/sqlite.c) \
	$(if $(HAVE_ZSTD),,postprocess/export/parquet.c) \
	$(if $(HAVE_DW),,postprocess/report/sym_user.c) \
	$(if $(HAVE_BABELTRACE),,postprocess/interop/ctf_%) \
	$(if $(HAVE_PROTOBUF),,postprocess/interop/perfetto_%),\
	$(sort $(wildcard postprocess/*/*.c postprocess/*/*/*.c)))) \
	$(if $(HAVE_PROTOBUF),$(BUILD)/obj/postprocess/interop/perfetto.pb-c.o) \
	$(KU_COMMON_OBJS)

$(KP_LIB): $(KP_LIB_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

# The filters, and the libraries that some of them need. A filter whose library is missing on this machine is not built.
KP_FILTERS := rawtoevent eventtospan checktrace spantotrim spantospan makeself unmakeself rawtohtml \
	rawtoctf rawtoperfetto spantospeedscope spantowhy spantoprof kuod spandiff \
	$(if $(HAVE_BABELTRACE),ctftoevent) $(if $(HAVE_PROTOBUF),perfettotoevent) \
	$(if $(HAVE_SQLITE),rawtosqlite) $(if $(HAVE_ZSTD),rawtoparquet) $(if $(HAVE_DW),samptoname)
# libdeflate packs the page's columns, or zlib if libdeflate is missing.
KP_PACK_LIBS := $(if $(HAVE_DEFLATE),-ldeflate,-lz) -lpthread
$(BUILD)/obj/postprocess/page/pack.o: CPPFLAGS += $(if $(HAVE_DEFLATE),-DKP_HAVE_DEFLATE)
KP_LIBS_makeself := $(KP_PACK_LIBS)
KP_LIBS_rawtohtml := $(KP_PACK_LIBS)
KP_LIBS_unmakeself := -lz
KP_LIBS_ctftoevent := -lbabeltrace2 -lz
KP_LIBS_perfettotoevent := -lprotobuf-c -lz
KP_LIBS_rawtoctf := -lpthread
KP_LIBS_rawtoperfetto := -lpthread
KP_LIBS_spantospeedscope := -lpthread
KP_LIBS_rawtosqlite := -lsqlite3 -lpthread
KP_LIBS_rawtoparquet := -lzstd -lpthread
KP_LIBS_samptoname := -ldw -lelf
KP_BINS := $(KP_FILTERS:%=$(BUILD)/bin/%)
# eventtospan3, samptoname_k and samptoname_u have names of KUtrace 3.
TOOLS += $(KP_BINS) $(addprefix $(BUILD)/bin/,eventtospan3 $(if $(HAVE_DW),samptoname_k samptoname_u))

$(KP_BINS): $(BUILD)/bin/%: $(BUILD)/obj/postprocess/tools/%.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(KP_LIBS_$*) -o $@

$(BUILD)/bin/eventtospan3: $(BUILD)/bin/eventtospan
	ln -sf eventtospan $@

# Filters of traces, events and spans need no library. The static ones are for rescue systems, and guests without libc.
KP_BARE_LIB := $(BUILD)/lib/libkp-bare.a
KP_STATIC := $(addprefix $(BUILD)/bin/static/,rawtoevent eventtospan checktrace spantowhy spantoprof \
	spandiff kuod)
STATIC_TOOLS += $(KP_STATIC)

$(KP_BARE_LIB): $(filter-out $(addprefix $(BUILD)/obj/postprocess/,page/% import/% interop/% export/% report/sym_user.o),$(KP_LIB_OBJS))
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(KP_STATIC): $(BUILD)/bin/static/%: $(BUILD)/obj/postprocess/tools/%.o $(KP_BARE_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -static $^ -o $@

# the program with which tests/golden/test_reference.sh compares
REFCOMPARE := $(BUILD)/tests/golden/refcompare

$(REFCOMPARE): $(BUILD)/obj/tests/golden/refcompare.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Perfetto's messages: needs protobuf-c-compiler and libprotobuf-c-dev. The generated code is compiled without warnings.
$(BUILD)/gen/perfetto.pb-c.c $(BUILD)/gen/perfetto.pb-c.h &: postprocess/interop/perfetto.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(BUILD)/gen $(<F)

$(BUILD)/obj/postprocess/interop/perfetto.pb-c.o: $(BUILD)/gen/perfetto.pb-c.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -w -c $< -o $@

$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard postprocess/interop/perfetto_*.c)): | $(BUILD)/gen/perfetto.pb-c.h

# names of system calls: from this machine's table, and from the table that most architectures share
$(BUILD)/obj/postprocess/import/syscalls.o: CPPFLAGS += $(if $(KU_ASM32),-DKUTRACE_HAVE_SYSCALLS32)
$(BUILD)/obj/postprocess/import/syscalls.o: $(KU_SYSCALL_INCS) $(BUILD)/gen/kutrace_syscalls_generic.inc

# Benchmarks of the filters: tests/bench/post.sh with traces that gen_trace makes.
GEN_TRACE := $(BUILD)/bench/gen_trace
BENCH_PROGS += $(GEN_TRACE) $(BUILD)/bench/timed $(BUILD)/bench/bin/post
BENCH_PROGS += $(BUILD)/bench/gen_fleet $(BUILD)/bench/bin/fleet

$(GEN_TRACE): $(BUILD)/obj/tests/bench/gen_trace.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/bench/timed: $(BUILD)/obj/tests/bench/timed.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Traces of many machines, for tests/bench/fleet.sh.
$(BUILD)/bench/gen_fleet: $(BUILD)/obj/tests/bench/gen_fleet.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/bench/bin/fleet: tests/bench/fleet.sh
	@mkdir -p $(@D)
	install -m 755 $< $@

$(BUILD)/bench/bin/post: tests/bench/post.sh
	@mkdir -p $(@D)
	install -m 755 $< $@

# Fuzz targets: libFuzzer with ASan and UBSan, in a separate build directory.
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PROGS := $(addprefix $(BUILD)/fuzz/,$(FUZZ_NAMES))
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZ_SECONDS ?= 1800
CLANG ?= clang
TESTS += tests/fuzz/fuzz.sh

.PHONY: fuzz fuzz-progs fuzz-always
FUZZ_LIB := $(BUILD)/fuzz/lib/lib/libkp.a

# Always run, because the other make decides whether these files are out of date.
# The fuzzed parts of control/ and the objects that they need: the file of state, the reader of dumps, the receiver of
# streams.
FUZZ_CONTROL_fuzz_crash := $(patsubst %.c,$(BUILD)/fuzz/lib/obj/%.o,$(filter-out %/main.c,$(wildcard control/crash/*.c))) \
	$(BUILD)/fuzz/lib/lib/libkutrace.a
FUZZ_CONTROL_fuzz_receive := $(BUILD)/fuzz/lib/obj/control/cli/command/receive.o \
	$(patsubst %.c,$(BUILD)/fuzz/lib/obj/%.o,$(wildcard control/cli/base/*.c)) $(BUILD)/fuzz/lib/lib/libkutrace.a
FUZZ_CONTROL_fuzz_state := $(patsubst %.c,$(BUILD)/fuzz/lib/obj/%.o,$(wildcard control/cli/shared/*.c control/cli/base/*.c)) \
	$(BUILD)/fuzz/lib/lib/libkutrace.a
FUZZ_CONTROL := $(sort $(FUZZ_CONTROL_fuzz_state) $(FUZZ_CONTROL_fuzz_crash) $(FUZZ_CONTROL_fuzz_receive))
FUZZ_LDLIBS_fuzz_symbols := -ldw -lelf
FUZZ_LDLIBS_fuzz_perfetto := -lprotobuf-c
FUZZ_LDLIBS_fuzz_ctf := -lbabeltrace2
FUZZ_LDLIBS_fuzz_crash := $(if $(HAVE_ZSTD),-lzstd)

$(FUZZ_LIB) $(FUZZ_CONTROL) &: fuzz-always
	+@ASAN_OPTIONS=detect_leaks=0 $(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz/lib CFLAGS='-O1 -g -DKP_SMALL_LOADS -DKP_FUZZED' \
		CC='$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link' $(FUZZ_LIB) $(FUZZ_CONTROL)

fuzz-progs: $(FUZZ_PROGS)

$(FUZZ_PROGS): $(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/fuzz.h $(FUZZ_LIB) $(FUZZ_CONTROL)
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer $(CPPFLAGS) -std=gnu11 -O1 -g $< $(FUZZ_CONTROL_$*) $(FUZZ_LIB) \
		-lz $(KP_PACK_LIBS) $(FUZZ_LDLIBS_$*) -o $@

fuzz:
	@tests/deps.sh tools test
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/fuzz.sh
# Names of the original, whose argument is kallsyms or maps.
$(BUILD)/bin/samptoname_k $(BUILD)/bin/samptoname_u: $(BUILD)/bin/samptoname
	ln -sf samptoname $@

# The test of the export folder observes the order of fsync() and rename().
UNIT_LDLIBS_test_export_folder := -Wl,--wrap=fsync,--wrap=rename
