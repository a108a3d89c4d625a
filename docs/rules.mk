# SPDX-License-Identifier: BSD-3-Clause
#
# docs/events.md and docs/tables.md are kept in the tree so that they can be read there; they are
# made from the event table and the list of tables; tests/golden/test_events_doc.sh and tests/cli/sql.sh
# see that they are.

.PHONY: docs

$(BUILD)/gen/gen_events: docs/gen_events.c module/uapi/kutrace_events.def
	@mkdir -p $(@D)
	$(CC) -Imodule/uapi $(WARN) -O1 $< -o $@

$(BUILD)/gen/gen_tables: docs/gen_tables.c postprocess/export/schema.def
	@mkdir -p $(@D)
	$(CC) -Ipostprocess $(WARN) -O1 $< -o $@

docs: $(BUILD)/gen/gen_events $(BUILD)/gen/gen_tables
	$(BUILD)/gen/gen_events > docs/events.md
	$(BUILD)/gen/gen_tables > docs/tables.md
