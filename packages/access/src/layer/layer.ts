import type { Resource } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import type { AccessReads } from '../context/access-reads.ts';
import type { Awaitable } from '../context/when-there.ts';
import type { Denial } from '../decision/access-check.ts';
import type { CompiledAccess, CompiledEntitlement } from '../definition/compile-access.ts';
import type { RuleCaller } from '../rule/rule-caller.ts';

/** A question to the layers. */
export interface AccessQuestion {
  readonly entitlement: CompiledEntitlement;
  /** The resource asked about; the tenant if the caller named none; null if there is neither. */
  readonly resource: Resource | null;
  /** The record, if it is at hand. */
  readonly row: ConditionRow | null;
}

/** What the layers use to decide, for one request of one user. */
export interface LayerContext {
  readonly access: CompiledAccess;
  readonly reads: AccessReads;
  readonly caller: RuleCaller;
  readonly now: () => Date;
}

/** One of the checks that can deny an entitlement. If no store is needed, it answers synchronously. */
export interface Layer {
  /** Reads what the questions need, in at most one call, so that {@link passes} makes none for them. */
  load(questions: readonly AccessQuestion[], context: LayerContext): Promise<void>;

  /** Says whether this layer allows it; makes at most one store call. */
  passes(question: AccessQuestion, context: LayerContext): Awaitable<boolean>;

  /** Finds out why this layer denies it; makes at most two store calls, one after the other. */
  findDenial(question: AccessQuestion, context: LayerContext): Awaitable<Denial | null>;
}
