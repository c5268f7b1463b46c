import { describe, expect, it } from 'vitest';
import { allEngines } from '../../support/databases.ts';
import { createShelves } from '../../support/shelves.ts';
import type { TestResponse } from '../../support/test-client.ts';

const emoji = '\u{1F600}';

/** Texts of so many code points, of one, two and four bytes each and mixed. */
const texts: readonly ((length: number) => string)[] = [
  (length) => 'a'.repeat(length),
  (length) => 'é'.repeat(length),
  (length) => emoji.repeat(length),
  (length) => 'a'.repeat(length - 1) + emoji,
];

describe.each(allEngines)('the length of a text on %s', (engine) => {
  it.each([
    { name: 'title', length: 10_000, says: 'by default' },
    { name: 'label', length: 5, says: 'by its declaration' },
  ])('is at most $length code points $says, however it is written', async ({ name, length }) => {
    const { client } = await createShelves(engine);
    const base = { title: 'x', label: null };
    for (const text of texts) {
      const [longest, tooLong] = [
        { ...base, [name]: text(length) },
        { ...base, [name]: text(length + 1) },
      ];
      const { status, body } = await client.post('/api/shelves', longest);
      expect([status, body]).toMatchObject([201, { [name]: text(length) }]);
      expectRefused(await client.post('/api/shelves', tooLong), [name]);

      const path = `/api/shelves/${body.id}`;
      expectRefused(await client.send(path, { method: 'PATCH', body: { [name]: text(length + 1) } }), [name]);
      expect((await client.send(path, { method: 'PATCH', body: { [name]: text(length) } })).status).toBe(200);
      expect((await client.get(path)).body).toMatchObject({ [name]: text(length) });

      const update = (value: string): object => ({ update: [{ id: body.id, [name]: value }] });
      expectRefused(await client.post('/api/shelves/bulk', { create: [longest, tooLong] }), ['create', 1]);
      expectRefused(await client.post('/api/shelves/bulk', update(text(length + 1))), ['update', 0]);
      expect((await client.post('/api/shelves/bulk', { create: [longest], ...update(text(length)) })).status).toBe(200);
    }
  });

  it('is in the document, and it does not bound texts to search for', async () => {
    const { client } = await createShelves(engine);
    const { body } = await client.get('/api/openapi.json');
    expect(JSON.stringify(body)).toContain('"maxLength":10000');
    expect(JSON.stringify(body)).toContain('"maxLength":5');
    const sought = await client.post('/api/shelves/query', { where: { label: 'a'.repeat(6) } });
    expect(sought.body.items).toEqual([]);
  });
});

function expectRefused({ status, body }: TestResponse, path: readonly (string | number)[]): void {
  expect([status, body.error.code, body.error.issues[0]?.path]).toEqual([400, 'VALIDATION_FAILED', path]);
}
