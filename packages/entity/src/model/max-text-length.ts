import type { Field } from './field.ts';
import type { Model } from './model.ts';

/** How many bytes Postgres can store in one index entry, less some room for what is not text. */
const maxEntryBytes = 2400;

/** The most bytes that a character takes in UTF-8. */
const bytesPerCharacter = 4;

/**
 * Returns the most characters that a text may have to fit into its indexes; undefined if it is in none. Without this
 * limit, only Postgres would refuse a long text, and as an internal error.
 */
export function toMaxTextLength({ indexes, allFields }: Model, name: string): number | undefined {
  const field = allFields.get(name);
  if (field?.type !== 'text') return undefined;
  const { unique } = field.options;
  const holding = [...indexes.filter((index) => index.includes(name)), ...(unique ? [[name]] : [])];
  if (holding.length === 0) return undefined;
  return Math.min(...holding.map((index) => toShare(index, allFields)));
}

function toShare(index: readonly string[], allFields: ReadonlyMap<string, Field>): number {
  const texts = index.filter((name) => allFields.get(name)?.type === 'text');
  return Math.floor(maxEntryBytes / texts.length / bytesPerCharacter);
}
