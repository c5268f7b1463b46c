import { rules } from '@x/access';
import { action, defineEntity, defineModel, defineService, field } from '@x/entity';
import { createMetrics } from '@x/server/metrics';
import { expect, it, onTestFinished } from 'vitest';
import { createTestServer, type TestServer } from '../../support/test-server.ts';

const open = { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false } as const;
const entities = [defineEntity({ model: defineModel('tasks', { fields: { title: field.text() } }), access: open })];
const services = [
  defineService({ name: 'tools', actions: { ping: action({ rule: rules.public, handler: () => 'pong' }) } }),
];

const startMeasured = (): Promise<TestServer> => createTestServer({ entities, services, metrics: createMetrics() });

/** The samples of the text, by their name and labels; throws at a line that is neither a sample nor a comment. */
function parse(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE) \w+ ./.test(line));
  return new Map(
    lines.map((line) => {
      const [, sample, value] = /^(\w+(?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})?) ([-+.\w]+)$/.exec(line) ?? [];
      if (sample === undefined) throw new Error(`no sample: ${line}`);
      return [sample, Number(value)];
    }),
  );
}

async function scrape({ client }: TestServer): Promise<ReadonlyMap<string, number>> {
  return parse((await client().get('/metrics')).text);
}

/** The numbers of responses, by method, route and status. */
function responsesIn(samples: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const counted = /^http_request_duration_seconds_count\{method="(.*)",route="(.*)",status="(.*)"\}$/;
  return Object.fromEntries(
    [...samples].flatMap(([sample, count]) => {
      const [, ...labels] = counted.exec(sample) ?? [];
      return labels.length > 0 ? [[labels.join(' '), count]] : [];
    }),
  );
}

it('measures responses by method, route and status, and the process', async () => {
  const test = await startMeasured();
  const browser = test.client();
  await browser.get('/api/tasks');
  await browser.get('/api/%74asks/nothing');
  await browser.post('/api/tasks', { title: 'First' });
  await browser.post('/api/tools/ping');
  await browser.get('/api/auth/session');
  await browser.get('/healthz');
  await test.server.fetch(new Request('http://localhost:3000/api/tasks', { method: 'HEAD' }));
  const samples = await scrape(test);
  expect(responsesIn(samples)).toEqual({
    'GET /api/tasks 200': 1,
    'GET /api/tasks 404': 1,
    'POST /api/tasks 201': 1,
    'POST /api/tools 200': 1,
    'GET /api/auth 200': 1,
    'GET other 200': 1,
    'HEAD /api/tasks 200': 1,
  });
  expect(samples.get('process_cpu_seconds_total')).toBeGreaterThan(0);
});

it('writes text as Prometheus reads it, and no cache keeps it', async () => {
  const { client } = await startMeasured();
  const { status, headers } = await client().get('/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect((await client().post('/metrics')).status).toBe(405);
});

it('has few labels whatever paths and methods clients send', async () => {
  const test = await startMeasured();
  const paths = [
    '',
    'x',
    'api',
    'api/',
    'api/x"} 1',
    'api/tasks/x',
    'api/tasks%2Fx',
    'api/%2574asks',
    'api/authx',
    'api/auth%0A',
    '%',
  ];
  const methods = ['GET', 'OPTIONS', 'BREW', 'gEt', 'PROPFIND', 'X'.repeat(1000)];
  for (const path of paths.flatMap((each) => [each, `${each}${crypto.randomUUID()}`])) {
    for (const method of methods) await test.server.fetch(new Request(`http://localhost:3000/${path}`, { method }));
  }
  const labels = Object.keys(responsesIn(await scrape(test))).map((each) => each.split(' '));
  expect(new Set(labels.map(([method]) => method))).toEqual(new Set(['GET', 'OPTIONS', 'other']));
  expect(new Set(labels.map(([, route]) => route))).toEqual(new Set(['other', '/api/tasks']));
});

it('counts security events by type', async () => {
  const test = await startMeasured();
  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  await test.client().post('/api/auth/signup', ada);
  for (const password of ['wrong', 'wrong again']) await test.client().post('/api/auth/signin', { ...ada, password });
  await test.server.auth.drain();
  const samples = await scrape(test);
  expect(samples.get('auth_events_total{type="sign_in.failed"}')).toBe(2);
  expect(samples.get('auth_events_total{type="user.created"}')).toBe(1);
});

it('is answered by a busy server, tells the requests in flight, and counts those that it refuses', async () => {
  const test = await startMeasured();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  onTestFinished(() => finish());
  test.server.app.get('/slow', async (c) => finished.then(() => c.text('slow')));
  const browser = test.client('192.0.2.1');
  const responses = Array.from({ length: 256 + 1024 }, () => browser.get('/slow'));
  expect((await browser.get('/slow')).status).toBe(503);
  const samples = parse((await browser.get('/metrics')).text);
  expect(responsesIn(samples)).toEqual({ 'GET other 503': 1 });
  expect(samples.get('http_requests_in_flight')).toBe(256 + 1024);
  finish();
  await Promise.all(responses);
  expect((await scrape(test)).get('http_requests_in_flight')).toBe(0);
});

it('is not there unless asked for', async () => {
  const { client } = await createTestServer();
  expect((await client().get('/metrics')).status).toBe(404);
});
