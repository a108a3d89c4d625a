-- SPDX-License-Identifier: BSD-3-Clause
-- Prints from the tables the same lines that points.awk prints from span JSON, for tests/cli/sql.sh. Times
-- are in units of 10 ns since time 0.
select 'pause ' || ((p.start_ns - zero_ns) / 10) || ' ' || dur_ns || ' ' || cpu || ' ' || number from pause p join trace using (trace_id);
select 'wakeup ' || ((time_ns - zero_ns) / 10) || ' ' || cpu || ' ' || tid || ' ' || woken_tid || ' ' || coalesce(target_cpu || ' ' || latency_ns, '-') from wakeup join trace using (trace_id);
select 'ipi ' || ((time_ns - zero_ns) / 10) || ' ' || cpu || ' ' || target_cpu || ' ' || tid || ' ' || coalesce(latency_ns, '-') from ipi join trace using (trace_id);
select 'lock ' || ((l.start_ns - zero_ns) / 10) || ' ' || dur_ns || ' ' || state || ' ' || lock || ' ' || name || ' ' || tid || ' ' || cpu from lock l join trace using (trace_id);
select 'rpc ' || ((r.start_ns - zero_ns) / 10) || ' ' || dur_ns || ' ' || state || ' ' || rpc || ' ' || name || ' ' || tid || ' ' || cpu from rpc r join trace using (trace_id);
select 'packet ' || ((p.start_ns - zero_ns) / 10) || ' ' || dur_ns || ' ' || kind || ' ' || cpu || ' ' || tid || ' ' || hash || ' ' || rpc || ' ' || name from packet p join trace using (trace_id);
select 'counter ' || ((time_ns - zero_ns) / 10) || ' ' || cpu || ' ' || name || ' ' || value from counter join trace using (trace_id);
select 'sample ' || ((time_ns - zero_ns) / 10) || ' ' || dur_ns || ' ' || cpu || ' ' || tid || ' ' || space || ' ' || name from sample join trace using (trace_id);
select 'mark ' || ((time_ns - zero_ns) / 10) || ' ' || cpu || ' ' || tid || ' ' || kind || ' ' || value || ' ' || text from mark join trace using (trace_id);
