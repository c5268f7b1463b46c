// Packs every public package as it would be published, then asks publint and attw whether a consumer can use it.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = await mkdtemp(join(tmpdir(), 'packed-'));
try {
  await mustRun('turbo', ['run', 'build', '--filter=./packages/*', '--output-logs=errors-only']);
  await mustRun('pnpm', ['--filter=./packages/*', '--filter=!./packages/test*', 'pack', '--pack-destination', folder]);
  const tarballs = (await readdir(folder)).map((file) => join(folder, file));
  if (tarballs.length === 0) throw new Error('pnpm packed nothing');

  const queue = tarballs.flatMap((tarball) => [
    ['publint', ['--strict', tarball]],
    ['attw', ['--profile', 'esm-only', '--format', 'ascii', tarball]],
  ]);
  let failed = 0;
  const worker = async () => {
    for (let job = queue.pop(); job; job = queue.pop()) {
      const [command] = job;
      const { code, output } = await run(...job);
      if (code === 0) continue;
      failed += 1;
      console.error(`${String(command)} failed:\n${output}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  console.log(`${tarballs.length} packages packed and checked, ${failed} complaints`);
  if (failed > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

async function mustRun(command, args) {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
