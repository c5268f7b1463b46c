import type { Cause, EventRecord, Stores, TransactionStores, UserId } from '@x/store';
import type { SampleRecords } from '../sample-records.ts';

/** The steps that take a cause: each writes what it changed to the log. */
export type RecordedStep = {
  [Name in keyof TransactionStores]-?: `${Name}.${StepOf<NonNullable<TransactionStores[Name]>>}`;
}[keyof TransactionStores];

type StepOf<Store> = {
  [Method in keyof Store & string]: Store[Method] extends (...args: infer Args) => unknown
    ? TakesCause<Args> extends true
      ? Method
      : never
    : never;
}[keyof Store & string];

type TakesCause<Args extends readonly unknown[]> =
  Required<Args> extends [...unknown[], infer Last]
    ? [Cause] extends [Last]
      ? [Last] extends [Cause]
        ? true
        : false
      : false
    : false;

/** The compared part of an event. */
export interface LogEntry extends Pick<EventRecord, 'type' | 'userId'> {
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A step, and what it writes to the log. */
export interface StepCase {
  /** Arranges what the step needs. */
  readonly prepare?: (stores: Stores, records: SampleRecords) => Promise<unknown>;
  readonly step: (stores: TransactionStores, cause: Cause, records: SampleRecords) => Promise<unknown>;
  readonly expected: readonly LogEntry[];
  /** Whether the same step changes something again. */
  readonly isRepeatable?: true;
}

/** The tenant in whose log the cases look. */
export const tenantId = 't';
/** The user whom they change. */
export const ann: UserId = 'ann' as UserId;
/** The operator who changes them. */
export const by = 'root';
