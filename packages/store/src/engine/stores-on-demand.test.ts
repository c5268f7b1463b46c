import { expect, it } from 'vitest';
import { addStores, type StoreFactories } from './stores-on-demand.ts';

it('creates a store on its first use, once, and others never', () => {
  const created: string[] = [];
  const factories = Object.fromEntries(
    ['users', 'sessions'].map((name) => [name, (context: string) => ({ at: created.push(`${name} ${context}`) })]),
  ) as unknown as StoreFactories<string>;
  const stores = addStores({ raw: undefined }, factories, 'inside');
  expect(created).toEqual([]);
  expect(stores.users).toBe(stores.users);
  expect(created).toEqual(['users inside']);
  expect(Object.keys({ ...stores })).toEqual(['raw', 'users', 'sessions']);
});
