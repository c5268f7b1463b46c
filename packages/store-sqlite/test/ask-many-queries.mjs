// Asks the database that its argument names 10 000 queries, each once, and prints by how many megabytes the process grew
// after the first 500.
import { openReader } from '../src/open-connection.ts';

const reader = openReader(process.argv[2]);
for (let number = 0; number < 500; number += 1) ask(number);
const before = process.memoryUsage.rss();
for (let number = 500; number < 10_000; number += 1) ask(number);
process.stdout.write(String((process.memoryUsage.rss() - before) / 2 ** 20));
reader.close();
process.disconnect();

function ask(number) {
  const condition = Array.from({ length: 50 }, (_, index) => `(a <> $1 OR b = '${number}-${index}')`).join(' AND ');
  const rows = reader.all(`SELECT id, a, b FROM t WHERE ${condition}`, ['x']);
  if (JSON.stringify(rows) !== '[{"id":"1","a":"2","b":"3"}]') throw new Error(`Other rows: ${JSON.stringify(rows)}`);
}
