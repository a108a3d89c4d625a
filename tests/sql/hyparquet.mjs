// SPDX-License-Identifier: BSD-3-Clause
/**
 * All rows of all Parquet files of a folder as hyparquet reads them, which has nothing in common with DuckDB: TABLE|VALUE|...,
 * values as `sqlite3 -list` has them.
 *
 *	NODE_MODULES=DIR node hyparquet.mjs FOLDER
 *
 * Called by tests/cli/rawtoparquet.sh.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @param {string} file */
const load = (file) => import(pathToFileURL(`${process.env.NODE_MODULES}/${file}`).href);
const { parquetMetadata, parquetReadObjects, parquetSchema } = await load('hyparquet/src/index.js');
const { compressors } = await load('hyparquet-compressors/src/index.js');
const folder = process.argv[2];
/** @param {unknown} value */
const text = (value) => (value === null || value === undefined ? '' : String(value));

for (const name of readdirSync(folder)) {
	if (!name.endsWith('.parquet')) continue;
	const bytes = readFileSync(`${folder}/${name}`);
	const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
	const columns = parquetSchema(parquetMetadata(file)).children.map((/** @type {any} */ child) => child.element.name);
	for (const row of await parquetReadObjects({ file, compressors }))
		console.log([name.replace('.parquet', ''), ...columns.map((/** @type {string} */ column) => text(row[column]))].join('|'));
}
