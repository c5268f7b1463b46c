// Nothing that a caller may not read shows in any response. Each case is two databases that differ in that alone: rows,
// fields, related rows and rows that join others. The caller sends both the same requests, and must not tell them apart.
import type { Stores } from '@x/store';
import { all } from '@x/store/where';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { anyLibraryPair, libraryModels, libraryNames, libraryOf, type LibraryRows } from '../testing/library.ts';
import { anyRequests, type LibraryRequest } from '../testing/library-requests.ts';
import { type Engine, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const isDeep = process.env['DEEP'] !== undefined;

/** How many pairs of databases, each with 16 requests. */
const engines: readonly (readonly [Engine, number])[] = [
  ['memory', isDeep ? 10_000 : 200],
  ['sqlite', isDeep ? 10_000 : 200],
  ['postgres', isDeep ? 1000 : 40],
];

/** Stores the rows in place of all others. */
async function fill({ entities }: Stores, rows: LibraryRows): Promise<void> {
  for (const name of libraryNames.toReversed()) await entities.deleteAll(name, all);
  for (const name of libraryNames) for (const row of rows[name]) await entities.create(name, row);
}

type App = ReturnType<typeof serveEntities>;

/** Sends all requests in their order, and reads lists to their end. */
async function responsesOf(app: App, requests: readonly LibraryRequest[]): Promise<readonly string[]> {
  const responses: string[] = [];
  for (const request of requests) {
    for (let after: string | null | undefined; after !== null;) {
      const body = request.body && JSON.stringify({ ...request.body, ...(after && { after }) });
      const headers = { 'content-type': 'application/json' };
      const response = await app.request(request.path, { method: request.method, ...(body && { headers, body }) });
      const text = await response.text();
      const tags = ['etag', 'location'].map((name) => response.headers.get(name)).join();
      const shown = `${request.method} ${request.path} ${body}: ${response.status} ${tags} ${text}`;
      responses.push(shown.replaceAll(madeIds, 'made'));
      after = readCursor(text);
    }
  }
  return responses;
}

/** Ids of created records are random. */
const madeIds = /(?!00000000)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function readCursor(text: string): string | null {
  return /^\{.*"nextCursor":"([^"]+)"/s.exec(text)?.[1] ?? null;
}

it.each(engines)(
  'gives no response on %s that depends on what the caller may not read',
  async (engine, numRuns) => {
    const stores = await openEngine(engine, libraryModels);
    let [successes, differences] = [0, 0];
    const agrees = fc.asyncProperty(anyLibraryPair, anyRequests, async (pair, requests) => {
      const app = serveEntities(createEntities({ entities: libraryOf(pair), stores, logger: false }), pair.caller);
      await fill(stores, pair.ours);
      const responses = await responsesOf(app, requests);
      expect(responses.filter((response) => /: 5\d\d /.test(response))).toEqual([]);
      await fill(stores, pair.others);
      expect(await responsesOf(app, requests)).toEqual(responses);
      if (JSON.stringify(pair.ours) === JSON.stringify(pair.others)) return;
      differences += 1;
      successes += responses.filter((response) => /: 20\d /.test(response)).length;
    });
    await fc.assert(agrees, { numRuns });
    // Most databases differ, and many requests to these succeed.
    expect(differences).toBeGreaterThan(numRuns * 0.8);
    expect(successes).toBeGreaterThan(differences * 4);
  },
  isDeep ? 3_600_000 : 300_000,
);
