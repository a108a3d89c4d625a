// SPDX-License-Identifier: BSD-3-Clause
/**
 * Asks DuckDB of a collection that `rawtoparquet --into` made: each line NAME<tab>QUERY of standard input becomes
 * "= NAME SECONDS" and its rows, columns with | between. The clock has run from before the files were looked for.
 *
 *	NODE_MODULES=DIR node fleet.mjs COLLECTION <questions
 *
 * Called by tests/cli/partitions.sh and tests/bench/fleet.sh.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(`${process.env.NODE_MODULES}/x`)('@duckdb/node-api');
const collection = process.argv[2];
const db = await (await DuckDBInstance.create(':memory:')).connect();
for (const table of readdirSync(collection))
	if (!table.startsWith('.'))
		await db.run(`create view ${table} as select * from read_parquet('${collection}/${table}/*/*/*.parquet', hive_partitioning = true)`);
for (const line of readFileSync(0, 'utf8').split('\n')) {
	const [name, query] = line.split('\t');
	if (!query) continue;
	const begun = performance.now();
	const rows = (await db.runAndReadAll(query)).getRowsJson();
	console.log(`= ${name} ${((performance.now() - begun) / 1000).toFixed(3)}`);
	for (const row of rows) console.log(row.map((/** @type {unknown} */ value) => (value === null ? '' : String(value))).join('|'));
}
