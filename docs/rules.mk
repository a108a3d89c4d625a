# SPDX-License-Identifier: BSD-3-Clause
#
# docs/events.md is kept in the tree so that it can be read there; it is made
# from the event table, and tests/golden/test_events_doc.sh sees that it is.

.PHONY: docs

$(BUILD)/gen/gen_events: docs/gen_events.c module/uapi/kutrace_events.def
	@mkdir -p $(@D)
	$(CC) -Imodule/uapi $(WARN) -O1 $< -o $@

docs: $(BUILD)/gen/gen_events
	$< > docs/events.md
