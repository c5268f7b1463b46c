import { describe, expect, it } from 'vitest';
import { ConfigurationError } from './errors.ts';
import { assertKnownOptions, findUnknownOptions, type OptionNames, refuseUnknownOptions } from './options.ts';

interface Settings {
  readonly baseUrl?: string;
  readonly session?: { readonly ttl?: number; readonly cookie?: { readonly secure?: boolean } };
  readonly openapi?: { readonly title?: string } | false;
}

const names: OptionNames<Settings> = {
  baseUrl: true,
  session: { ttl: true, cookie: { secure: true } },
  openapi: { title: true },
};

describe('findUnknownOptions', () => {
  it('finds nothing in options that exist, given or left out', () => {
    const options: Settings = { session: { ttl: 1, cookie: { secure: true } }, openapi: false };
    expect(findUnknownOptions(options, names)).toEqual([]);
    expect(findUnknownOptions({ baseUrl: undefined, session: undefined }, names)).toEqual([]);
    expect(findUnknownOptions(undefined, names)).toEqual([]);
  });

  it('names each unknown option with its path and the nearest name, at every level', () => {
    const options = { baseURL: '', sesion: {}, session: { tl: 1, cookie: { sekure: true } }, openapi: { titel: '' } };
    expect(findUnknownOptions(options, names)).toEqual([
      'baseURL: unknown option, did you mean baseUrl?',
      'sesion: unknown option, did you mean session?',
      'session.tl: unknown option, did you mean session.ttl?',
      'session.cookie.sekure: unknown option, did you mean session.cookie.secure?',
      'openapi.titel: unknown option, did you mean openapi.title?',
    ]);
  });

  it('starts the path with the place that it is given', () => {
    expect(findUnknownOptions({ cokie: {} }, { ttl: true, cookie: true }, 'session')).toEqual([
      'session.cokie: unknown option, did you mean session.cookie?',
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])('finds an option named %s', (name) => {
    const options: unknown = JSON.parse(`{ ${JSON.stringify(name)}: 1 }`);
    expect(findUnknownOptions(options, names)).toEqual([expect.stringContaining(`${name}: unknown option`)]);
  });

  it('finds an unknown option that is undefined, and one that is inherited', () => {
    const undefinedOnes = { baseurl: undefined };
    expect(findUnknownOptions(undefinedOnes, names)).toHaveLength(1);
    expect(findUnknownOptions(Object.create(undefinedOnes), names)).toHaveLength(1);
  });

  it('names the nearest by the fewest edits, in any letter case', () => {
    const nearest = (name: string): string | undefined =>
      /did you mean (\w+)\?/.exec(
        findUnknownOptions({ [name]: 1 }, { window: true, maxAttempts: true, ttl: true })[0] ?? '',
      )?.[1];
    expect(['wndow', 'windows', 'wibdow', 'MAXATTEMPTS', 'maxAtempt', 'tll'].map(nearest)).toEqual([
      ...['window', 'window', 'window', 'maxAttempts', 'maxAttempts', 'ttl'],
    ]);
  });

  it('names all that there are if none is near', () => {
    expect(findUnknownOptions({ port: 1 }, { window: true, maxAttempts: true }, 'rateLimit')).toEqual([
      'rateLimit.port: unknown option; the known ones are window, maxAttempts.',
    ]);
  });
});

describe('OptionNames', () => {
  it('is refused by the compiler with a name missing or too many', () => {
    // @ts-expect-error - `openapi` is missing
    const missing: OptionNames<Settings> = { baseUrl: true, session: true };
    // @ts-expect-error - there is no `path` in a cookie
    const extra: OptionNames<Settings> = { ...names, session: { ttl: true, cookie: { secure: true, path: true } } };
    expect([missing, extra]).toHaveLength(2);
  });
});

it('refuses options of a declaration with all problems, and those of a verb with the first', () => {
  const options = { baseURL: '', sesion: {} };
  expect(() => refuseUnknownOptions(options, names)).toThrow(
    new ConfigurationError([
      'baseURL: unknown option, did you mean baseUrl?',
      'sesion: unknown option, did you mean session?',
    ]),
  );
  expect(() => assertKnownOptions(options, names, 'admin.list')).toThrow(
    new TypeError('admin.list.baseURL: unknown option, did you mean admin.list.baseUrl?'),
  );
  expect(() => refuseUnknownOptions({}, names)).not.toThrow();
  expect(() => assertKnownOptions(undefined, names)).not.toThrow();
});
