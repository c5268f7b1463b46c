/**
 * Returns the engines for tests of what is built on stores: in the quick tier the first one, since all stores pass one
 * contract there, and in the others all of them.
 */
export function enginesOfTier<const Engines extends readonly unknown[]>(all: Engines): readonly Engines[number][] {
  const tier = process.env['TEST_TIER'] ?? 'quick';
  return tier === 'quick' ? all.slice(0, 1) : all;
}
