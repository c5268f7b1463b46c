import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, it, onTestFinished } from 'vitest';
import { sampleDocument } from './testing/sample-document.ts';

const use = `
import type { components, operations, paths } from './api.d.ts';
export const note: components['schemas']['NotesRecord']['state'] = 'open';
export const query: operations['notes.list']['parameters']['query'] = { 'where[createdAt][gte]': '2026-01-01', limit: 2 };
export const input: paths['/api/notes']['post']['requestBody']['content']['application/json'] = { title: 'First' };
// @ts-expect-error a title is needed
export const empty: components['schemas']['NotesCreate'] = {};
type Refused = operations['notes.update']['responses'][412]['content']['application/json'];
export const code: Refused['error']['code'] = 'PRECONDITION_FAILED';
`;

it('has types of openapi-typescript that compile and fit', { timeout: 30_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Without this it takes fields with a default for required.
  const options = { defaultNonNullable: false };
  const types = astToString(await openapiTypescript(JSON.stringify(sampleDocument), options));
  await writeFile(join(folder, 'api.d.ts'), types);
  await writeFile(join(folder, 'use.ts'), use);
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--allowImportingTsExtensions'];
  const target = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', '', '--ignoreConfig'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [compiler, ...flags, ...target, join(folder, 'api.d.ts'), join(folder, 'use.ts')],
    { cwd: folder },
  ).catch((failed: { stdout: string }) => failed);
  expect(stdout).toBe('');
});
