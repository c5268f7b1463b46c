import { rules } from '@x/access';
import { action, defineEntity, defineModel, defineService, field, recordAction } from '@x/entity';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEntityServer } from '../support/entity-server.ts';
import { refusalOf } from '../support/refusal-of.ts';
import type { TestClient } from '../support/test-client.ts';
import { encodeRequest, exchange, serve } from '../support/wire.ts';

const model = defineModel('sheets', {
  fields: { name: field.text({ default: '' }), code: field.text({ unique: true, nullable: true }) },
});
const rule = rules.all(rules.authenticated(), rules.role('editor'));
const input = z.strictObject({ name: z.string().optional() });
const handler = (): object => ({ done: true });

const sheets = defineEntity({
  model,
  access: {
    list: rule,
    get: rule,
    create: rule,
    update: rule,
    delete: rule,
    bulk: rule,
    export: rule,
    import: rule,
  },
  actions: {
    fill: recordAction(model, { rule, input, handler }),
    wipe: recordAction(model, { rule, handler }),
    look: recordAction(model, { rule, method: 'GET', handler }),
    find: recordAction(model, { rule, method: 'GET', input, handler }),
    drop: recordAction(model, { rule, method: 'DELETE', path: 'part', handler }),
    load: action({ rule, input, handler }),
    count: action({ rule, handler }),
  },
});
const tools = defineService({
  name: 'tools',
  actions: { echo: action({ rule, input, handler }), ping: action({ rule, handler }) },
});

interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** As in the list of endpoints. */
  readonly reads: 'query' | 'parameters' | 'json' | 'lines' | 'nothing';
  readonly onRecord?: true;
  readonly heedsIfMatch?: true;
}

const onRecord = { onRecord: true, heedsIfMatch: true } as const;

const routes: readonly Route[] = [
  { method: 'GET', path: '/api/sheets', reads: 'query' },
  { method: 'GET', path: '/api/sheets/:id', reads: 'query', onRecord: true },
  { method: 'POST', path: '/api/sheets', reads: 'json' },
  { method: 'POST', path: '/api/sheets/query', reads: 'json' },
  { method: 'GET', path: '/api/sheets/export', reads: 'query' },
  { method: 'POST', path: '/api/sheets/bulk', reads: 'json' },
  { method: 'POST', path: '/api/sheets/upsert', reads: 'json' },
  { method: 'POST', path: '/api/sheets/aggregate', reads: 'json' },
  { method: 'PATCH', path: '/api/sheets/:id', reads: 'json', ...onRecord },
  { method: 'DELETE', path: '/api/sheets/:id', reads: 'nothing', ...onRecord },
  { method: 'POST', path: '/api/sheets/:id/fill', reads: 'json', ...onRecord },
  { method: 'POST', path: '/api/sheets/:id/wipe', reads: 'nothing', ...onRecord },
  { method: 'GET', path: '/api/sheets/:id/look', reads: 'nothing', ...onRecord },
  { method: 'GET', path: '/api/sheets/:id/find', reads: 'parameters', ...onRecord },
  { method: 'DELETE', path: '/api/sheets/:id/part', reads: 'nothing', ...onRecord },
  { method: 'POST', path: '/api/sheets/import', reads: 'lines' },
  { method: 'POST', path: '/api/sheets/load', reads: 'json' },
  { method: 'POST', path: '/api/sheets/count', reads: 'nothing' },
  { method: 'POST', path: '/api/tools/echo', reads: 'json' },
  { method: 'POST', path: '/api/tools/ping', reads: 'nothing' },
];

/** A request before it is sent. */
interface Draft {
  path: string;
  method: string;
  raw: string | null;
  by: 'editor' | 'reader' | 'anonymous';
  headers: Record<string, string | null>;
}

/** Something that can be wrong with a request. */
interface Flaw {
  /** Flaws with a lower one are found first; it is the number of the step in `design/http-api.md`. */
  readonly step: number;
  readonly code: string;
  readonly add: (draft: Draft) => void;
}

/** The steps in which all requests are checked. */
const step = { route: 0, length: 1, csrf: 2, body: 3, caller: 4, role: 5, lateBody: 6, shape: 7, row: 8, version: 9 };

const malformed = (at: number): readonly Flaw[] => [
  {
    step: at,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    add(draft) {
      draft.raw ??= '{}';
      draft.headers['content-type'] = 'text/plain';
    },
  },
  ...['{"name":', '\ufeff{}', '{"constructor":1}', '['.repeat(40)].map((raw): Flaw => ({
    step: at + 0.5,
    code: 'INVALID_JSON',
    add: (draft) => void (draft.raw = raw),
  })),
];

const misshapen = ({ method, reads, heedsIfMatch }: Route): readonly Flaw[] => {
  const addQuery = (query: string) => (draft: Draft) => void (draft.path += query);
  const addHeader = (name: string) => (draft: Draft) => void (draft.headers[name] = '"1"');
  const at = { step: step.shape };
  return [
    { ...at, code: 'INVALID_QUERY', add: addQuery('?unknown=1') },
    { ...at, code: 'INVALID_QUERY', add: addQuery('?__proto__=1') },
    ...(reads === 'query' ? [{ ...at, code: 'INVALID_QUERY', add: addQuery('?select=id&select=id') }] : []),
    ...(method === 'GET' ? [] : [{ ...at, code: 'VALIDATION_FAILED', add: addHeader('if-none-match') }]),
    ...(method === 'GET' || heedsIfMatch ? [] : [{ ...at, code: 'VALIDATION_FAILED', add: addHeader('if-match') }]),
  ];
};

function flawsOf(route: Route): readonly Flaw[] {
  const { method, path, reads } = route;
  const wrongShape = /\/(query|aggregate)$/.test(path) ? 'INVALID_QUERY' : 'VALIDATION_FAILED';
  return [
    { step: step.route, code: 'METHOD_NOT_ALLOWED', add: (draft) => void (draft.method = 'PUT') },
    { step: step.caller, code: 'UNAUTHENTICATED', add: (draft) => void (draft.by = 'anonymous') },
    {
      step: step.role,
      code: 'FORBIDDEN',
      add: (draft) => void (draft.by = draft.by === 'anonymous' ? 'anonymous' : 'reader'),
    },
    ...misshapen(route),
    ...(method === 'GET'
      ? []
      : [
          { step: step.csrf, code: 'CSRF_FAILED', add: (draft: Draft) => void (draft.headers['x-app-request'] = null) },
        ]),
    // Lines have no limit together, and are each refused alone.
    ...(reads === 'lines' ? malformed(step.body).slice(0, 1) : []),
    ...(method === 'GET' || reads === 'lines'
      ? []
      : [
          {
            step: step.length,
            code: 'PAYLOAD_TOO_LARGE',
            add: (draft: Draft) => void (draft.headers['content-length'] = '262145'),
          },
          ...malformed(reads === 'json' ? step.body : step.lateBody),
          { step: step.shape, code: wrongShape, add: (draft: Draft) => void (draft.raw = '{"unknown":1}') },
        ]),
    ...(route.onRecord
      ? [
          {
            step: step.row,
            code: 'NOT_FOUND',
            add: (draft: Draft) => void (draft.path = draft.path.replace(':id', crypto.randomUUID())),
          },
        ]
      : []),
    ...(route.heedsIfMatch
      ? [
          {
            step: step.version,
            code: 'PRECONDITION_FAILED',
            add: (draft: Draft) => void (draft.headers['if-match'] = '"9"'),
          },
        ]
      : []),
  ];
}

/** Each flaw alone, with each that is found later, and with one of each later step. */
function combine(flaws: readonly Flaw[]): readonly (readonly [Flaw, ...Flaw[]])[] {
  return flaws.flatMap((flaw) => {
    const later = flaws.filter((other) => other.step > flaw.step);
    const all = [...Map.groupBy(later, (other) => Math.floor(other.step)).values()].map((each) => each.at(-1)!);
    return [[flaw], ...later.map((other) => [flaw, other] as const), [flaw, ...all]] as const;
  });
}

describe.each(routes)('$method $path', (route) => {
  it('refuses a request for the fault that is checked first, with any other faults', async () => {
    const { signUp, client } = await createEntityServer({ entities: [sheets], services: [tools] });
    const callers: Readonly<Record<Draft['by'], TestClient>> = {
      editor: (await signUp({ role: 'editor' })).browser,
      reader: (await signUp()).browser,
      anonymous: client(),
    };
    const { id } = (await callers.editor.post('/api/sheets', {})).body;
    const send = async (flaws: readonly Flaw[]): Promise<string> => {
      const { method, path } = route;
      const raw = route.reads === 'json' || route.reads === 'lines' ? '{}' : null;
      const type = route.reads === 'lines' ? 'application/x-ndjson' : 'application/json';
      const draft: Draft = { path, method, raw, by: 'editor', headers: {} };
      // Of two bodies or two callers, the request has the one that is found first.
      for (const flaw of flaws.toSorted((one, other) => other.step - one.step)) flaw.add(draft);
      const body = draft.raw === null ? {} : { raw: draft.raw };
      const headers = { ...(draft.raw !== null && { 'content-type': type }), ...draft.headers };
      const target = draft.path.replace(':id', id);
      return refusalOf(await callers[draft.by].send(target, { method: draft.method, headers, ...body }));
    };
    const wrong: unknown[] = [];
    for (const flaws of combine(flawsOf(route))) {
      const code = await send(flaws);
      if (code !== flaws[0].code) wrong.push([flaws.map((flaw) => `${flaw.step} ${flaw.code}`), code]);
    }
    expect(wrong).toEqual([]);
    expect((await callers.editor.get('/api/sheets')).body.items).toHaveLength(1);
  });
});

it('does not wait for a body that no caller may send', async () => {
  const { server } = await createEntityServer({ entities: [sheets], services: [tools] });
  const port = await serve(server);
  const headers = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' };
  const lines = [
    `DELETE /api/sheets/${crypto.randomUUID()}`,
    'POST /api/sheets/count',
    'POST /api/tools/ping',
    'DELETE /api/auth/sessions',
  ];
  for (const line of lines) {
    expect([line, refusalOf(await exchange(port, encodeRequest(line, { headers })))]).toEqual([
      line,
      'UNAUTHENTICATED',
    ]);
  }
});
