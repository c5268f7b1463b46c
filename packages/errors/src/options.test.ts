import { describe, expect, it } from 'vitest';
import { ConfigurationError } from './errors.ts';
import { findUnknownOptions, refuseUnknownOptions } from './options.ts';

interface Settings {
  readonly baseUrl?: string;
  readonly session?: object;
}

const known = { baseUrl: undefined, session: true };

describe('findUnknownOptions', () => {
  it('finds nothing in options that exist, given or left out', () => {
    expect(findUnknownOptions<Settings>({ session: {} }, known)).toEqual([]);
    expect(findUnknownOptions<Settings>({ baseUrl: undefined, session: undefined }, known)).toEqual([]);
    expect(findUnknownOptions<Settings>(undefined, known)).toEqual([]);
  });

  it('names each unknown option with the nearest name', () => {
    expect(findUnknownOptions<Settings>({ baseURL: '', sesion: {} }, known)).toEqual([
      'baseURL: unknown option, did you mean baseUrl?',
      'sesion: unknown option, did you mean session?',
    ]);
  });

  it('starts with the place that it is given', () => {
    expect(findUnknownOptions<{ ttl: 1; cookie: 1 }>({ cokie: {} }, { ttl: true, cookie: true }, 'session')).toEqual([
      'session.cokie: unknown option, did you mean session.cookie?',
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])('finds an option named %s', (name) => {
    const options = JSON.parse(`{ ${JSON.stringify(name)}: 1 }`) as object;
    expect(findUnknownOptions<Settings>(options, known)).toEqual([expect.stringContaining(`${name}: unknown option`)]);
  });

  it('finds an unknown option that is undefined, and one that is inherited', () => {
    const undefinedOnes = { baseurl: undefined };
    expect(findUnknownOptions<Settings>(undefinedOnes, known)).toHaveLength(1);
    expect(findUnknownOptions<Settings>(Object.create(undefinedOnes) as object, known)).toHaveLength(1);
  });

  it('names the nearest by the fewest edits, in any letter case', () => {
    const names = { window: true, maxAttempts: true, ttl: true };
    const nearest = (name: string): string | undefined =>
      /did you mean (\w+)\?/.exec(findUnknownOptions<typeof names>({ [name]: 1 }, names)[0] ?? '')?.[1];
    expect(['wndow', 'windows', 'wibdow', 'MAXATTEMPTS', 'maxAtempt', 'tll'].map(nearest)).toEqual([
      ...['window', 'window', 'window', 'maxAttempts', 'maxAttempts', 'ttl'],
    ]);
  });

  it('names all that there are if none is near', () => {
    const names = { window: true, maxAttempts: true };
    expect(findUnknownOptions<typeof names>({ port: 1 }, names, 'rateLimit')).toEqual([
      'rateLimit.port: unknown option; the known ones are window, maxAttempts.',
    ]);
  });

  it('is refused by the compiler with a name missing or too many', () => {
    const options: Settings = {};
    // @ts-expect-error - `session` is missing
    findUnknownOptions(options, { baseUrl: true });
    // @ts-expect-error - there is no `path`
    findUnknownOptions(options, { baseUrl: true, session: true, path: true });
    expect(findUnknownOptions(options, { baseUrl: true, session: true })).toEqual([]);
  });
});

it('refuses options of a declaration with all problems', () => {
  expect(() => refuseUnknownOptions<Settings>({ baseURL: '', sesion: {} }, known)).toThrow(
    new ConfigurationError([
      'baseURL: unknown option, did you mean baseUrl?',
      'sesion: unknown option, did you mean session?',
    ]),
  );
  expect(() => refuseUnknownOptions<Settings>({}, known)).not.toThrow();
});
