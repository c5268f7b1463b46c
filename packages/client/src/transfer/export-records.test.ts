import { defineEntity, defineModel, field } from '@x/entity';
import { expect, it } from 'vitest';
import { recordingClient } from '../testing/recording-client.ts';
import { exportRecords } from './export-records.ts';

const access = { list: false, get: false, create: false, update: false, delete: false } as const;
const tasks = defineEntity({ access, model: defineModel('tasks', { fields: { title: field.text() } }) });

const clientOf = (answer: Response) => recordingClient<{ entities: { readonly tasks: typeof tasks } }>([answer]);

async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** A response that arrives in these pieces, and then ends, or breaks. */
function arriving(pieces: readonly Uint8Array[], error?: Error): Response {
  const left = [...pieces];
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = left.shift();
        if (piece) controller.enqueue(piece);
        else if (error) controller.error(error);
        else controller.close();
      },
    }),
    sent,
  );
}

/** What only the application sends. */
const sent = { headers: { 'X-Request-Id': 'r' } };

it('gives records as they arrive, wherever the response is cut', async () => {
  const bytes = new TextEncoder().encode('{"title":"ä"}\n{"title":"b"}\n');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const { client, asked } = clientOf(arriving([bytes.subarray(0, cut), bytes.subarray(cut)]));
    const exported = await collect(exportRecords(client.entities.tasks, { where: { title: { ne: 'x' } } }));
    expect(exported).toMatchObject([
      { ok: true, data: { title: 'ä' } },
      { ok: true, data: { title: 'b' } },
    ]);
    expect(asked).toEqual([['GET /api/tasks/export?where={"title":{"ne":"x"}}']]);
  }
});

it('gives a refusal, or that the response broke off, as the last value', async () => {
  const refusal = Response.json({ error: { code: 'FORBIDDEN', message: 'No.' } }, { status: 403 });
  const refused = await collect(exportRecords(clientOf(refusal).client.entities.tasks));
  expect(refused).toMatchObject([{ ok: false, error: { code: 'FORBIDDEN', status: 403 } }]);
  const broken = arriving([new TextEncoder().encode('{"title":"a"}\n{"ti')], new Error('reset'));
  const received = await collect(exportRecords(clientOf(broken).client.entities.tasks));
  expect(received).toMatchObject([{ data: { title: 'a' } }, { ok: false, error: { code: 'NETWORK_FAILED' } }]);
  const page = new Response('<h1>Sign in to the hotel</h1>', sent);
  const misled = await collect(exportRecords(clientOf(page).client.entities.tasks));
  expect(misled).toMatchObject([{ ok: false, error: { code: 'INVALID_RESPONSE' } }]);
});

it('stops the request when the loop ends early', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('{"title":"a"}\n')),
    cancel: () => void (isCancelled = true),
  });
  for await (const exported of exportRecords(clientOf(new Response(endless, sent)).client.entities.tasks)) {
    expect(exported.ok).toBe(true);
    break;
  }
  expect(isCancelled).toBe(true);
});
