// `npm start`, `npm test` and their variants on a machine that has only Node >= 18 and npm.
// Installs when the lockfile or a package.json changed, then runs the task on the Node 26 of node_modules/.bin.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const env = {
  ...process.env,
  PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH,
  TURBO_TELEMETRY_DISABLED: '1',
};

const [task, ...args] = process.argv.slice(2);
const tasks = {
  start: async () => {
    await run('turbo', ['run', 'build', '--filter=demo...', '--output-logs=errors-only']);
    const { scripts } = JSON.parse(readFileSync(join(root, 'apps/demo/package.json'), 'utf8'));
    await run('sh', ['-c', `cd apps/demo && ${scripts.start} "$@"`, 'sh', ...args]);
  },
  test: () => run('vitest', ['run', ...args]),
  'test:watch': () => run('vitest', args),
  'test:full': () => run('vitest', ['run', ...args], { TEST_TIER: 'full' }),
  'test:deep': () => run('vitest', ['run', ...args], { TEST_TIER: 'deep', DEEP: '1' }),
};

if (!(task in tasks)) {
  console.error(`usage: node scripts/run.mjs <${Object.keys(tasks).join(' | ')}> [arguments]`);
  process.exit(2);
}
await install();
await tasks[task]();

/** Installs from the lockfile, unless the last install saw the same manifests. */
async function install() {
  const stamp = join(root, 'node_modules', '.install-stamp');
  const hash = hashOfManifests();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  await run('npx', ['--yes', 'pnpm@12', 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false']);
  writeFileSync(stamp, hash);
}

function hashOfManifests() {
  const manifests = ['packages', 'apps']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')))
    .filter((file) => existsSync(join(root, file)));
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Runs a command in the root to its end, hands it our signals, and ends with it when it fails. */
function run(command, commandArgs, extraEnv = {}) {
  const child = spawn(command, commandArgs, {
    cwd: root,
    env: { ...env, ...extraEnv },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  // A terminal sends Ctrl-C to the whole process group, so only signals from elsewhere need handing on.
  const forward = (signal) => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal));
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      process.exit(1);
    });
    child.on('exit', (code, signal) => {
      process.off('SIGINT', forward);
      process.off('SIGTERM', forward);
      if (signal) process.kill(process.pid, signal);
      else if (code) process.exit(code);
      else resolve();
    });
  });
}
