// Writes migrations/*.sql into src/migrations.generated.ts, so that no path is resolved at run time.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const folder = new URL('../migrations/', import.meta.url);
const target = new URL('../src/migrations.generated.ts', import.meta.url);

const entries = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .map(toEntry);

writeFileSync(
  target,
  `// Written by scripts/inline-migrations.mjs: edit the .sql files, then run it again.
import type { Migration } from '@x/store-sql';

/** The steps of the schema, in order. */
export const migrations: readonly Migration[] = [
${entries.join('\n')}
];
`,
);

function toEntry(file) {
  const name = file.slice(0, -'.sql'.length);
  const sql = readFileSync(new URL(file, folder), 'utf8').replaceAll('\r\n', '\n');
  const literal = sql.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`);
  return `  {\n    number: ${Number.parseInt(name, 10)},\n    name: '${name}',\n    sql: \`${literal}\`,\n  },`;
}
