import { defineEntity, defineModel, field } from '@x/entity';
import { describe, expect, it } from 'vitest';
import { createClient } from '../create-client.ts';
import { type ImportProgress, importRecords } from './import-records.ts';

const access = { list: false, get: false, create: false, update: false, delete: false } as const;
const tasks = defineEntity({ access, model: defineModel('tasks', { fields: { title: field.text() } }) });

/** A server that takes every line but those with `bad`, and stops at one with `stop`. */
function serve(answer: (lines: readonly string[], skipped: number) => Response = toResponse) {
  const taken: string[] = [];
  const parts: number[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    expect(request.headers.get('Content-Type')).toBe('application/x-ndjson');
    const text = await request.text();
    parts.push(text.length);
    const lines = text.replace(/\n$/, '').split('\n');
    const skipped = Number(new URL(request.url).searchParams.get('resumeAfter'));
    const upTo = lines.findIndex((line) => line.includes('stop'));
    taken.push(...lines.slice(skipped, upTo < 0 ? undefined : upTo).filter((line) => !line.includes('bad')));
    return answer(lines, skipped);
  };
  const client = createClient<{ entities: { readonly tasks: typeof tasks } }>({
    baseUrl: 'https://app.example',
    fetch,
  });
  return { entity: client.entities.tasks, taken, parts };
}

function toResponse(lines: readonly string[], skipped: number): Response {
  const stop = lines.findIndex((line) => line.includes('stop'));
  const failed = lines
    .map((line, index) => ({ line: index + 1, text: line }))
    .filter(({ line, text }) => line > skipped && (stop < 0 || line <= stop) && text.includes('bad'))
    .map(({ line }) => ({ line, error: { code: 'VALIDATION_FAILED', message: 'No.' } }));
  const resumeAfter = stop < 0 ? lines.length : stop;
  const outcome = { created: resumeAfter - skipped - failed.length, failed: failed.slice(0, 1000), resumeAfter };
  const counted = { ...outcome, ...(failed.length > 1000 && { failedTotal: failed.length }) };
  if (stop < 0) return Response.json(counted);
  return Response.json({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.', meta: counted } }, { status: 503 });
}

const line = (number: number): string => JSON.stringify({ title: `ä ${number} ${'x'.repeat(number % 90)}` });
const fileOf = (lines: readonly string[]): Blob => new Blob([`${lines.join('\n')}\n`]);

describe('importRecords', () => {
  it('sends a file in parts of whole lines, and tells how far it is after each', async () => {
    const { entity, taken, parts } = serve();
    const lines = Array.from({ length: 3000 }, (_, index) => line(index));
    const told: ImportProgress[] = [];
    const imported = await importRecords(entity, fileOf(lines), { onProgress: (progress) => told.push(progress) });
    expect(imported).toMatchObject({ ok: true, data: { created: 3000, failed: [], resumeAfter: 3000 } });
    expect(taken).toEqual(lines);
    expect(Math.max(...parts)).toBeLessThanOrEqual(64 * 1024);
    expect(told.length).toBe(parts.length);
    expect(told.length).toBeGreaterThan(2);
    const fractions = told.map(({ fraction }) => fraction);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(told.at(-1)).toEqual({ created: 3000, failed: [], resumeAfter: 3000, fraction: 1 });
  });

  it('numbers refused lines through the whole file, and names the first thousand', async () => {
    const { entity } = serve();
    const lines = Array.from({ length: 3000 }, (_, index) => (index % 2 === 0 ? 'bad'.padEnd(60) : line(index)));
    const imported = await importRecords(entity, fileOf(lines));
    if (!imported.ok) throw new Error(imported.error.code);
    expect(imported.data).toMatchObject({ created: 1500, failedTotal: 1500, resumeAfter: 3000 });
    expect(imported.data.failed.map((each) => each.line)).toEqual(Array.from({ length: 1000 }, (_, n) => 2 * n + 1));
  });

  it('says after a failure how far it came, and continues from there', async () => {
    const { entity, taken } = serve();
    const lines = Array.from({ length: 3000 }, (_, index) => line(index));
    const broken = lines.with(2000, 'stop');
    const failed = await importRecords(entity, fileOf(broken));
    if (failed.ok) throw new Error('It was not stopped.');
    expect(failed.error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      meta: { created: 2000, failed: [], resumeAfter: 2000 },
    });
    const { resumeAfter } = failed.error.meta;
    expect(await importRecords(entity, fileOf(lines), { resumeAfter })).toMatchObject({ data: { created: 1000 } });
    expect(taken).toEqual(lines);
  });

  it('keeps what else a refusal says', async () => {
    const error = { code: 'FORBIDDEN', message: 'No.', reason: 'plan_required', meta: { requiredPlans: ['pro'] } };
    const { entity } = serve(() => Response.json({ error }, { status: 403 }));
    expect(await importRecords(entity, fileOf(['{}']))).toMatchObject({
      error: { code: 'FORBIDDEN', meta: { requiredPlans: ['pro'], created: 0, failed: [], resumeAfter: 0 } },
    });
  });

  it('takes the answer of a gateway for none', async () => {
    const { entity } = serve(() => Response.json({}));
    expect(await importRecords(entity, fileOf(['{}']))).toMatchObject({ error: { code: 'INVALID_RESPONSE' } });
  });

  it('tells what follows lists of a part that failed', async () => {
    const { entity } = serve();
    let writes = 0;
    entity.session.touched.subscribe(() => (writes += 1));
    await importRecords(entity, fileOf(['{}', 'stop']));
    expect(writes).toBe(1);
  });

  it.each([
    ['an empty file', '', 0],
    ['a last line without an end', '{"a":1}\n{"a":2}', 2],
    ['a line longer than a part', `{}\n"${'x'.repeat(200_000)}"\n{}\n`, 3],
  ])('takes %s', async (_, text, created) => {
    const { entity } = serve();
    expect(await importRecords(entity, new Blob([text]))).toMatchObject({
      data: { created, failed: [], resumeAfter: created },
    });
  });

  it('ends by a signal', async () => {
    const stop = new AbortController();
    const { entity, taken } = serve();
    const lines = Array.from({ length: 3000 }, (_, index) => line(index));
    const aborted = await importRecords(entity, fileOf(lines), { signal: stop.signal, onProgress: () => stop.abort() });
    expect(aborted).toMatchObject({ error: { code: 'ABORTED', meta: { created: taken.length } } });
    expect(taken.length).toBeLessThan(3000);
  });
});
