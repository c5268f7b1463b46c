import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { secretLinesOf } from '../support/key-pairs.ts';
import { type Outcome, runToEnd } from '../support/run-to-end.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../src/make-keys.ts', import.meta.url));

it.each([
  ['RS256', []],
  ['RS256', ['--algorithm', 'RS256', '--out', 'deep/keys']],
  ['ES256', ['--', '--algorithm=ES256']],
])('generates %s keys that production starts with, given %j', async (algorithm, args) => {
  const folder = makeFolder();
  const made = await makeKeys(folder, ...args);
  expect([made.code, made.errors]).toEqual([0, '']);
  const variables = variablesOf(made.output);
  expect(variables['JWT_ALGORITHM']).toBe(algorithm);
  const privatePath = variables['JWT_PRIVATE_KEY']!.replace('file:', '');
  expect(statSync(privatePath).mode & 0o777).toBe(0o600);
  for (const line of secretLinesOf(readFileSync(privatePath, 'utf8'))) expect(made.output).not.toContain(line);

  const baseUrl = 'https://tracker.example';
  const production = { NODE_ENV: 'production', BASE_URL: baseUrl };
  const browser = new Browser(await startHere({ ...production, ...variables }), baseUrl);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  expect((await browser.get('/api/auth/.well-known/jwks.json')).body.keys).toMatchObject([{ alg: algorithm }]);
});

it('writes two files into a folder that is closed to others and to git', async () => {
  const folder = makeFolder();
  await makeKeys(folder);
  expect(readdirSync(folder)).toEqual(['keys']);
  expect(statSync(join(folder, 'keys')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'keys')).toSorted()).toEqual(['.gitignore', 'jwt-private.pem', 'jwt-public.pem']);
  expect(readFileSync(join(folder, 'keys/.gitignore'), 'utf8')).toBe('*\n');
});

it('changes nothing of an existing folder but for the keys', async () => {
  const folder = makeFolder();
  expect((await makeKeys(folder, '--out', '.')).code).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(['jwt-private.pem', 'jwt-public.pem']);
});

it.each(['jwt-private.pem', 'jwt-public.pem'])(
  'never overwrites an existing %s, and then writes no other key',
  async (name) => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'keys'));
    writeFileSync(join(folder, 'keys', name), 'precious');
    const refused = await makeKeys(folder);
    expect([refused.code, refused.output]).toEqual([1, '']);
    expect(refused.errors).toContain(`${join('keys', name)} is there already`);
    expect(refused.errors).not.toMatch(/^ +at /m);
    expect(readdirSync(join(folder, 'keys'))).toEqual([name]);
    expect(readFileSync(join(folder, 'keys', name), 'utf8')).toBe('precious');
  },
);

it('names a folder that cannot be created', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'keys'), 'a file');
  const refused = await makeKeys(folder, '--out', 'keys/inner');
  expect([refused.code, refused.output]).toEqual([1, '']);
  expect(refused.errors).toMatch(/keys/);
  expect(refused.errors).not.toMatch(/^ +at /m);
});

it.each([
  [['--algorithm', 'HS256'], '--algorithm must be RS256 or ES256.'],
  [['--algorithm', ''], '--algorithm must be RS256 or ES256.'],
  [['--out', ''], '--out must name a folder.'],
  [['--out'], "Option '--out <value>' argument missing."],
  [['--force'], "Unknown option '--force'."],
  [['keys'], "Unexpected argument 'keys'."],
])('refuses %j with the problem and the usage, and writes nothing', async (args, problem) => {
  const folder = makeFolder();
  const refused = await makeKeys(folder, ...args);
  expect([refused.code, refused.output]).toEqual([2, '']);
  expect(refused.errors).toMatch(
    /^.+\.\n\nUsage: .* --filter demo keys \[--algorithm RS256\|ES256\] \[--out <folder>\]\n/,
  );
  expect(refused.errors.split('\n')[0]).toBe(problem);
  expect(readdirSync(folder)).toEqual([]);
});

function makeKeys(folder: string, ...args: readonly string[]): Promise<Outcome> {
  return runToEnd(program, args, folder);
}

/** Reads the lines that set variables, as a shell or an env file would. */
function variablesOf(output: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...output.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}
