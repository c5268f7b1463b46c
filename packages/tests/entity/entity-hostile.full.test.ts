import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEntityServer, patch, remove } from '../support/entity-server.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { faultOf, refusalOf } from '../support/refusal-of.ts';
import type { TestResponse } from '../support/test-client.ts';
import { engines } from '../support/test-server.ts';

/** All of them, or one in six and those of ours at the end. */
const strings = hostileStrings.filter(
  (_, index) => process.env['DEEP'] || index % 6 === 0 || index > hostileStrings.length - 25,
);

/** Bytes that are JSON, are none, or may be either: JSONTestSuite. */
const bodies = (
  JSON.parse(readFileSync(new URL('../../http/test-data/json-test-suite.json', import.meta.url), 'utf8')) as readonly {
    readonly name: string;
    readonly base64: string;
  }[]
).map(({ base64 }) => Buffer.from(base64, 'base64'));

/** Sends one request per string, some at a time, and returns the internal errors. */
async function faultsOf(send: (text: string) => Promise<TestResponse>): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (let start = 0; start < strings.length; start += 50) {
    const batch = strings.slice(start, start + 50);
    const found = await Promise.all(batch.map(async (text) => [text, faultOf(await send(text))] as const));
    faults.push(...found.filter(([, fault]) => fault !== null));
  }
  return faults;
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

describe.each(engines)('hostile input to entities on %s', (engine) => {
  it('is never used as the name of a field, of a relation or of a parameter', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    const queries: readonly ((text: string) => object)[] = [
      (text) => ({ where: { [text]: 'x' } }),
      (text) => ({ where: { title: { [text]: 'x' } } }),
      (text) => ({ orderBy: text }),
      (text) => ({ select: [text] }),
      (text) => ({ include: text }),
      (text) => ({ access: text }),
    ];
    for (const toQuery of queries) {
      const statuses = new Set<number>();
      const faults = await faultsOf(async (text) => {
        const response = await browser.post('/api/notes/query', toQuery(text));
        statuses.add(response.status);
        return response;
      });
      expect(faults).toEqual([]);
      // Names that could reach a prototype are dropped, as if they had not been sent.
      expect([...statuses].filter((status) => status !== 400 && status !== 200)).toEqual([]);
    }
    const measures = { n: { count: 'id' } };
    const others: readonly (readonly [path: string, toBody: (text: string) => object])[] = [
      ['aggregate', (text) => ({ groupBy: [text], measures })],
      ['aggregate', (text) => ({ where: { [text]: text }, measures })],
      ['aggregate', (text) => ({ measures: { [text]: { count: 'id' } } })],
      ['aggregate', (text) => ({ measures: { n: { [text]: 'points' } } })],
      ['aggregate', (text) => ({ measures: { n: { sum: text } } })],
      ['aggregate', (text) => ({ where: { title: text }, measures })],
      ['upsert', (text) => ({ by: text, record: { title: 'x' } })],
      ['upsert', (text) => ({ by: [text, 'slug'], record: { title: 'x', [text]: text } })],
      ['upsert', (text) => ({ by: 'slug', record: { title: 'x', slug: text } })],
      ['bulk', (text) => ({ updateWhere: { where: { title: text }, set: { [text]: text } } })],
    ];
    for (const [path, toBody] of others) {
      expect(await faultsOf((text) => browser.post(`/api/notes/${path}`, toBody(text)))).toEqual([]);
    }
    expect(await faultsOf((text) => browser.get(`/api/notes?${encode(text)}=${encode(text)}`))).toEqual([]);
    expect(await faultsOf((text) => browser.get(`/api/notes?where[${encode(text)}]=1`))).toEqual([]);
  });

  it('causes no internal error as a value, a cursor, a limit or an id', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    const senders: readonly ((text: string) => Promise<TestResponse>)[] = [
      (text) => browser.get(`/api/notes?where[title][contains]=${encode(text)}`),
      (text) => browser.get(`/api/notes?where[points][in]=${encode(text)}`),
      (text) => browser.post('/api/notes/query', { where: { NOT: { title: { gte: text } } } }),
      (text) => browser.get(`/api/notes?after=${encode(text)}`),
      (text) => browser.get(`/api/notes?limit=${encode(text)}`),
      (text) => browser.get(`/api/notes/${encode(text)}`),
      (text) => remove(browser, `/api/notes/${encode(text)}`),
    ];
    for (const send of senders) expect(await faultsOf(send)).toEqual([]);
  });

  it('is stored unchanged, or refused', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    const { id } = (await browser.post('/api/notes', { title: 'x' })).body;
    const outcomes: (readonly [text: string, outcome: unknown])[] = [];
    const faults = await faultsOf(async (text) => {
      const created = await browser.post('/api/notes', { title: text });
      const got = await browser.get(`/api/notes/${created.body.id}`);
      outcomes.push([text, created.status === 201 ? (got.body as { title?: unknown }).title : refusalOf(created)]);
      return patch(browser, `/api/notes/${id}`, { [text]: text });
    });
    expect(faults).toEqual([]);
    const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
    expect(outcomes).toEqual(outcomes.map(([text]) => [text, isStorable(text) ? text : 'VALIDATION_FAILED']));
    for (const points of ['1e400', '9007199254740992', '1.5', '"1"', 'true', '{}', '[]', 'NaN']) {
      const refused = await browser.post('/api/notes', undefined, { raw: `{"title":"x","points":${points}}` });
      expect([points, refused.status, faultOf(refused)]).toEqual([points, 400, null]);
    }
    const zero = await browser.post('/api/notes', undefined, { raw: '{"title":"x","points":-0}' });
    expect([zero.status, zero.text.includes('"points":0')]).toEqual([201, true]);
  });

  it('causes no internal error as a body, and reaches no prototype', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    const { id } = (await browser.post('/api/notes', { title: 'x' })).body;
    const raws: readonly (string | Uint8Array<ArrayBuffer>)[] = [
      ...bodies.map((body) => new Uint8Array(body)),
      ...['', '{}x', '\ufeff{}', '{"title":"a","title":"b"}', '{"__proto__":{"isAdmin":true},"title":"x"}'],
      ...['{"title":{"__proto__":{"x":1}}}', '{"constructor":{"prototype":{"x":1}}}'],
      '['.repeat(100_000),
      `{"title":${'['.repeat(40)}${']'.repeat(40)}}`,
      JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`key${index}`, 1]))),
    ];
    const faults: unknown[] = [];
    for (const raw of raws) {
      for (const [method, path] of [
        ['POST', '/api/notes'],
        ['POST', '/api/notes/query'],
        ['POST', '/api/notes/bulk'],
        ['POST', '/api/notes/upsert'],
        ['POST', '/api/notes/aggregate'],
        ['PATCH', `/api/notes/${id}`],
      ] as const) {
        const response = await browser.send(path, { method, raw, headers: { 'content-type': 'application/json' } });
        const fault = faultOf(response);
        if (fault !== null) faults.push([path, raw, fault]);
      }
      const headers = { 'content-type': 'application/x-ndjson' };
      const imported = await browser.send('/api/notes/import', { method: 'POST', raw, headers });
      if (imported.status !== 200 || imported.text.includes('INTERNAL')) faults.push(['import', raw, imported.text]);
    }
    expect(faults).toEqual([]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
