import { type AccessDefinition, defineAccess } from '@x/access';
import * as entity from '@x/entity';
import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';

/** A function with options. */
export interface Sample {
  /** All its options, at every level; objects of other kinds are not looked into. */
  readonly options: Options;
  /** Calls it with options that may be wrong. */
  readonly call: (options: never) => unknown;
}

export type Options = Readonly<Record<string, unknown>>;

/**
 * The functions of a package that have options, by their names; a dot leads to what a function returns, or to a level
 * that has names of the app's own.
 */
export type Samples = Readonly<Record<string, Sample>>;

// Values that samples of several packages use.

/** Stands for any function or object of the app's own. */
export const run: () => undefined = () => undefined;
export const rule: { readonly type: 'public' } = { type: 'public' };
export const everybody: Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', typeof rule>> = {
  list: rule,
  get: rule,
  create: rule,
  update: rule,
  delete: rule,
};
export const stores: Stores = createMemoryStores();
export const definition: AccessDefinition = defineAccess({
  entities: { team: { roles: ['lead'] } },
  entitlements: { 'team:read': { roles: [] } },
});
export const model: entity.Model = entity.defineModel('notes', { fields: { text: entity.field.text() } });
