// Run in the folder of a store package: writes migrations/*.sql into src/migrations.generated.ts, so that no path is
// resolved at run time.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const folder = 'migrations';

const entries = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .map(toEntry);

writeFileSync(
  'src/migrations.generated.ts',
  `// Written by scripts/inline-migrations.mjs of the repository: edit the .sql files, then run it again.
import type { Migration } from '@x/store-sql';

/** The steps of the schema, in order. */
export const migrations: readonly Migration[] = [
${entries.join('\n')}
];
`,
);

function toEntry(file) {
  const name = file.slice(0, -'.sql'.length);
  const sql = readFileSync(`${folder}/${file}`, 'utf8').replaceAll('\r\n', '\n');
  const literal = sql.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`);
  return `  {\n    number: ${Number.parseInt(name, 10)},\n    name: '${name}',\n    sql: \`${literal}\`,\n  },`;
}
