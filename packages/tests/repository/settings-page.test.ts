import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { authPorts, authSettings } from './unknown-options/samples/auth-settings.ts';

/** The names of options, at every level. */
function namesOf(options: object): readonly string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => [
    name,
    ...(typeof value === 'object' && value !== null && !Array.isArray(value) ? namesOf(value) : []),
  ]);
}

it('the page about the settings of auth names all of them; that about limits has those of limits', () => {
  const page = readFileSync(join(import.meta.dirname, '../../auth/docs/settings.md'), 'utf8');
  const settings = Object.fromEntries(Object.entries(authSettings).filter(([name]) => name !== 'limits'));
  const names = [...namesOf(settings), ...namesOf(authPorts), 'limits', 'stores', 'logger', 'userFields', 'accessSet'];
  expect(names.filter((name) => !new RegExp(`[\`.]${name}\\b`).test(page))).toEqual([]);
});
