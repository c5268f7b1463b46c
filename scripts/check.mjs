// `pnpm check`: runs every `check:*` script of package.json, all of them even when one fails, and says which did.
// With CHECK_REPORT set, also writes the outcome there as JSON for .ci/run.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH;

const steps = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const results = steps.map((name) => {
  console.log(`\n${name}: ${scripts[name]}`);
  const startedAt = performance.now();
  const { status } = spawnSync(scripts[name], {
    cwd: root,
    env: { ...process.env, PATH, TURBO_TELEMETRY_DISABLED: '1' },
    shell: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return { name, passed: status === 0, seconds: (performance.now() - startedAt) / 1000 };
});

console.log('');
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? 'passed' : 'FAILED'}  ${name}  ${seconds.toFixed(1)} s`);
}
if (process.env.CHECK_REPORT) writeFileSync(process.env.CHECK_REPORT, JSON.stringify(results));
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
