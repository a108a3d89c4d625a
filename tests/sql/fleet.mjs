// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs queries in DuckDB on a collection of `rawtoparquet --into`. Each line NAME<tab>QUERY of standard input
 * gives "= NAME SECONDS" and the rows, with | between columns. SECONDS includes the search for the files.
 *
 *	NODE_MODULES=DIR node fleet.mjs COLLECTION <questions
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
