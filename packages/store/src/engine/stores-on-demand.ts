import type { StepStores } from '../stores.ts';

/** How to create each store in a context, such as a transaction. */
export type StoreFactories<Context> = {
  readonly [Name in keyof StepStores]: (context: Context) => NonNullable<StepStores[Name]>;
};

/** Adds the stores of a context to an object, each created on its first use: a transaction needs few of them. */
export function addStores<Own extends object, Context>(
  own: Own,
  factories: StoreFactories<Context>,
  context: Context,
): Own & StepStores {
  for (const [name, create] of Object.entries<(context: Context) => unknown>(factories)) {
    let created: unknown;
    Object.defineProperty(own, name, {
      enumerable: true,
      configurable: true,
      get: () => (created ??= create(context)),
    });
  }
  return own as Own & StepStores;
}
