# SPDX-License-Identifier: BSD-3-Clause

# The filters' library: everything in lib/. Each filter links all of it.
KP_LIB := $(BUILD)/lib/libkp.a
KP_LIB_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard postprocess/lib/*.c))

$(KP_LIB): $(KP_LIB_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

# rawtoevent, eventtospan (and its other name), checktrace
KP_TRACE_FILTERS := $(patsubst postprocess/%.c,$(BUILD)/bin/%,\
	$(wildcard $(patsubst %,postprocess/%.c,rawtoevent eventtospan checktrace)))
TOOLS += $(KP_TRACE_FILTERS)

$(KP_TRACE_FILTERS): $(BUILD)/bin/%: $(BUILD)/obj/postprocess/%.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

TOOLS += $(BUILD)/bin/eventtospan3

$(BUILD)/bin/eventtospan3: $(BUILD)/bin/eventtospan
	ln -sf eventtospan $@

# what tests/golden/test_reference.sh compares with
REFCOMPARE := $(BUILD)/tests/golden/refcompare

$(REFCOMPARE): $(BUILD)/obj/tests/golden/refcompare.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# spantotrim, spantospan
KP_SPAN_FILTERS := $(BUILD)/bin/spantotrim $(BUILD)/bin/spantospan
TOOLS += $(KP_SPAN_FILTERS)

$(KP_SPAN_FILTERS): $(BUILD)/bin/%: $(BUILD)/obj/postprocess/%.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# makeself: the page; the only filter here that needs zlib.
TOOLS += $(BUILD)/bin/makeself

$(BUILD)/bin/makeself: $(BUILD)/obj/postprocess/makeself.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lz -o $@

# rawtohtml: everything in one process.
TOOLS += $(BUILD)/bin/rawtohtml

$(BUILD)/bin/rawtohtml: $(BUILD)/obj/postprocess/rawtohtml.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lz -lpthread -o $@

# Benchmarks of the filters: tests/bench/post.sh with traces that gen_trace makes.
GEN_TRACE := $(BUILD)/bench/gen_trace
BENCH_PROGS += $(GEN_TRACE) $(BUILD)/bench/timed $(BUILD)/bench/bin/post

$(GEN_TRACE): $(BUILD)/obj/tests/bench/gen_trace.o $(KP_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/bench/timed: $(BUILD)/obj/tests/bench/timed.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/bench/bin/post: tests/bench/post.sh
	@mkdir -p $(@D)
	install -m 755 $< $@
