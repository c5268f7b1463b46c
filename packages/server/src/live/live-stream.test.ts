import { expect, it, vi } from 'vitest';
import { LiveStream } from './live-stream.ts';

/** A stream whose first notice has gone, so that the next changes are collected. */
function openStream() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const caller = { userId: 'ada' } as never;
  const terms = {
    id: 's',
    caller,
    expiresAt: new Date(),
    ver: 1,
    hasTimes: true,
    cursor: () => 'c',
    onClose: () => {},
  };
  const stream = new LiveStream(terms);
  const reader = stream.body.getReader();
  const read = async (): Promise<unknown> => {
    await vi.advanceTimersByTimeAsync(100);
    const { value } = await reader.read();
    return JSON.parse(/data: (.*)/.exec(new TextDecoder().decode(value))?.[1] ?? '');
  };
  return { stream, read };
}

it('says when records were changed, unless one of them was changed more than once', async () => {
  const { stream, read } = openStream();
  stream.notify('tasks', 'a', '2026-01-01T00:00:00.000Z');
  stream.notify('tasks', 'b', '2026-01-01T00:00:00.001Z');
  // A change may come twice.
  stream.notify('tasks', 'b', '2026-01-01T00:00:00.001Z');
  const updatedAt = { a: '2026-01-01T00:00:00.000Z', b: '2026-01-01T00:00:00.001Z' };
  expect(await read()).toEqual({ subscription: 'tasks', ids: ['a', 'b'], updatedAt });
  stream.notify('tasks', 'a', '2026-01-01T00:00:00.002Z');
  stream.notify('tasks', 'a', '2026-01-01T00:00:00.003Z');
  stream.notify('tasks', 'b', '2026-01-01T00:00:00.002Z');
  expect(await read()).toEqual({ subscription: 'tasks', ids: ['a', 'b'] });
  stream.notify('tasks', 'a', undefined);
  stream.notify('tasks', 'a', '2026-01-01T00:00:00.004Z');
  expect(await read()).toEqual({ subscription: 'tasks', ids: ['a'] });
  stream.notify('tasks', 'a', '2026-01-01T00:00:00.005Z');
  stream.notify('tasks', null);
  expect(await read()).toEqual({ subscription: 'tasks' });
  vi.useRealTimers();
});

it('names a deleted record by the end of its id alone, whatever happened to it before', async () => {
  const { stream, read } = openStream();
  const [id, other] = ['00000000-0000-4000-8000-0000abcdef01', '00000000-0000-4000-8000-0000abcdef02'];
  stream.notify('tasks', other, '2026-01-01T00:00:00.000Z');
  stream.notify('tasks', id, '2026-01-01T00:00:00.000Z');
  stream.notify('tasks', id, null);
  stream.notify('tasks', id, null);
  const updatedAt = { [other]: '2026-01-01T00:00:00.000Z', abcdef01: null };
  expect(await read()).toEqual({ subscription: 'tasks', updatedAt });
  // Of two deletions, the client may have made one.
  stream.notify('tasks', id, null);
  stream.notify('tasks', other, null);
  expect(await read()).toEqual({ subscription: 'tasks', updatedAt: { abcdef01: null, abcdef02: null } });
  stream.notify('tasks', id, null);
  stream.notify('tasks', null);
  expect(await read()).toEqual({ subscription: 'tasks' });
  vi.useRealTimers();
});
