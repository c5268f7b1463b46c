import { expect, it } from 'vitest';
import type { Resource } from '../access/hierarchy.ts';
import { logged } from './recorded.ts';

const of = (id: string): Resource => ({ type: 'project', id });

it('names up to 1000 removed resources in one change', () => {
  const below = Array.from({ length: 1001 }, (_, index) => of(String(index)));
  const changes = logged.removal([of('top'), ...below]);
  expect(changes.map(({ detail }) => detail['resource'])).toEqual([of('top'), of('top')]);
  const named = changes.map(({ detail }) => detail['below'] as unknown as readonly Resource[]);
  expect(named.map(({ length }) => length)).toEqual([1000, 1]);
  expect(named.flat()).toEqual(below);
  expect(logged.removal([of('top')])).toMatchObject([{ detail: { resource: of('top'), below: [] } }]);
});
