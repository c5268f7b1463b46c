import type { EntityRow } from '@x/store';
import type { Caller, Field } from './field.ts';
import type { Model } from './model.ts';
import type { RecordInput } from './record-input.ts';

/** What a new record is made of, besides the caller's input. */
export interface NewRecordContext {
  readonly caller: Caller;
  readonly now: Date;
  /** Generates a random uuid. */
  readonly randomUuid: () => string;
}

/**
 * Builds the record that an input creates, with every field filled in: generated, set by the server, by default, or
 * null.
 */
export function toNewRecord(
  { allFields }: Model,
  { values }: Pick<RecordInput, 'values'>,
  context: NewRecordContext,
): EntityRow {
  const cells = [...allFields].map(
    ([name, field]) => [name, Object.hasOwn(values, name) ? values[name] : toFirstValue(field, context)] as const,
  );
  return Object.fromEntries(cells) as EntityRow;
}

function toFirstValue({ options }: Field, { caller, now, randomUuid }: NewRecordContext): unknown {
  const { generated, serverValue, default: value } = options;
  if (generated) return randomUuid();
  if (serverValue) return serverValue(caller);
  return value === 'now' ? now : (value ?? null);
}
