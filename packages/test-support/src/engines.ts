import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the quick tier has run the tests of a project, too; its configuration says so. */
    ranInQuickTier?: boolean;
  }
}

/**
 * Returns the engines for tests of what is built on stores: in the quick tier the first one, since all stores pass one
 * contract there, and in the full tier those that are left.
 */
export function enginesOfTier<const Engines extends readonly unknown[]>(all: Engines): readonly Engines[number][] {
  const tier = process.env['TEST_TIER'] ?? 'quick';
  if (tier === 'quick') return all.slice(0, 1);
  return inject('ranInQuickTier') ? all.slice(1) : all;
}
