import { refuseUnknownOptions } from '@x/errors';
import type { Stores, TransactionStores } from './stores.ts';

/**
 * Stores that an app may keep elsewhere: no step of another store reads their rows, and nothing is lost if their steps
 * do not roll back with a transaction.
 */
export type OwnStores = Pick<TransactionStores, 'rateLimits'>;

/**
 * Replaces stores of a database with others, which are used in transactions as well. They need not roll back with
 * these. The app closes them itself.
 *
 * @throws ConfigurationError for a store that cannot be replaced
 * @example
 * ```ts
 * const stores = composeStores(createPostgresStores({ url }), { rateLimits: createRedisRateLimits(redis) });
 * ```
 */
export function composeStores(base: Stores, own: OwnStores): Stores {
  refuseUnknownOptions(own, { rateLimits: true }, 'composeStores');
  return compose(base, own);
}

/** A proxy, because stores are created when they are first used, and have methods of their class. */
function compose<Base extends TransactionStores>(base: Base, own: OwnStores): Base {
  const transaction: TransactionStores['transaction'] = (work, options) =>
    base.transaction((inside) => work(compose(inside, own)), options);
  const replaced = new Map<PropertyKey, unknown>(Object.entries({ ...own, transaction }));
  return new Proxy(base, {
    get(target, name) {
      if (replaced.has(name)) return replaced.get(name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
