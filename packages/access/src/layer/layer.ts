import type { ConditionRow, Resource } from '@x/store';
import type { AccessReads } from '../context/access-reads.ts';
import type { Awaitable } from '../context/when-there.ts';
import type { Denial } from '../decision/access-check.ts';
import type { CompiledAccess, CompiledEntitlement } from '../definition/compile-access.ts';
import type { RuleCaller } from '../rule/rule-caller.ts';

/** What is asked of the layers. */
export interface AccessQuestion {
  readonly entitlement: CompiledEntitlement;
  /** What it is asked on: the tenant where the caller named nothing, or nothing at all. */
  readonly resource: Resource | null;
  /** The record at hand, if one is. */
  readonly row: ConditionRow | null;
}

/** What the layers go by, for one request of one user. */
export interface LayerContext {
  readonly access: CompiledAccess;
  readonly reads: AccessReads;
  readonly caller: RuleCaller;
  readonly now: () => Date;
}

/** One thing that may stand in the way of an entitlement. What needs no store is answered at once. */
export interface Layer {
  /** Reads in one call at most whatever the questions need, so that {@link passes} makes none for them. */
  load(questions: readonly AccessQuestion[], context: LayerContext): Promise<void>;

  /** Says whether nothing stands in the way; makes one store call at most. */
  passes(question: AccessQuestion, context: LayerContext): Awaitable<boolean>;

  /** Finds what stands in the way; makes two store calls at most, one after the other. */
  findDenial(question: AccessQuestion, context: LayerContext): Awaitable<Denial | null>;
}
