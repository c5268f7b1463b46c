import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ArrivingBodies } from './arriving-bodies.ts';

it('refuses a body whose connection is reset with INVALID_JSON, as it is no fault of the server', async () => {
  const bodies = new ArrivingBodies(1024);
  const incoming = new IncomingMessage(new Socket());
  incoming.headers['content-length'] = '10';
  const waiting = bodies.wait('203.0.113.0', incoming);
  expect(bodies.count).toBe(1);
  const aborted = new Error('aborted');
  incoming.destroy(aborted);
  await expect(waiting).rejects.toMatchObject({ code: 'INVALID_JSON', cause: aborted });
  expect(bodies.count).toBe(0);
});
