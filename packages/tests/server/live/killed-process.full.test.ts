import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase } from '@x/test-support/database';
import { startProgram } from '@x/test-support/programs';
import { expect, it, onTestFinished } from 'vitest';
import { LiveReader } from '../../support/live-reader.ts';
import { TestClient } from '../../support/test-client.ts';

const program = new URL('../../support/live-program.ts', import.meta.url);

interface Started {
  readonly child: ChildProcess;
  readonly client: TestClient;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Starts a process, and reaches it under the origin that it believes to have. */
async function start(database: string, keys: string): Promise<Started> {
  const child = startProgram(program, database, keys);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child, 'message')) as [number];
  const toAddress = (url: string): string => url.replace('localhost:3000', `127.0.0.1:${port}`);
  const ask = (request: Request): Promise<Response> => fetch(new Request(toAddress(request.url), request));
  return { child, client: new TestClient('http://localhost:3000', ask), fetch: ask };
}

it.each(['sqlite', 'postgres'])(
  'on %s, a stream of a process that was killed continues in another, which tells the missed changes',
  async (engine) => {
    const folder = mkdtempSync(join(tmpdir(), 'x-server-test-'));
    const database = engine === 'sqlite' ? null : await createPostgresDatabase();
    onTestFinished(() => database?.drop());
    const url = database?.url ?? join(folder, 'test.db');
    const [first, second] = [await start(url, folder), await start(url, folder)];
    const account = { email: 'ada@example.com', password: 'correct horse battery' };
    expect((await first.client.post('/api/auth/signup', account)).status).toBe(201);
    second.client.adoptSession(first.client);

    const stream = await LiveReader.open(first, first.client);
    const subscription = { streamId: stream.streamId, id: 'n', entity: 'notes' };
    expect((await second.client.post('/api/live/subscriptions', subscription)).status).toBe(201);
    const { id: told } = (await second.client.post('/api/notes', { title: 'Told' })).body;
    expect((await stream.next('change')).data).toEqual({ subscription: 'n', ids: [told] });

    first.child.kill('SIGKILL');
    await stream.ended();
    const { id: missed } = (await second.client.post('/api/notes', { title: 'Missed' })).body;
    const again = await LiveReader.open(second, second.client, stream.lastId);
    expect(again.streamId).toBe(stream.streamId);
    await again.nextWith(missed);
  },
);
