import type { Awaitable } from '@x/errors';
import type { Resource } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import type { CompiledAccess, CompiledEntitlement } from '../definition/compile-access.ts';
import type { AccessReads } from '../reads/access-reads.ts';
import type { RuleCaller } from '../rule/to-where.ts';
import type { Denial } from './access-check.ts';

/** A validated question: whether the caller has an entitlement. */
export interface AccessQuestion {
  readonly entitlement: CompiledEntitlement;
  /** The resource in question; the tenant if the caller named none; null if there is neither. */
  readonly resource: Resource | null;
  /** The record, if it is at hand. */
  readonly row: ConditionRow | null;
}

/** What questions are evaluated with, for one request of one user. */
export interface EvaluationContext {
  readonly access: CompiledAccess;
  readonly reads: AccessReads;
  readonly caller: RuleCaller;
  readonly now: () => Date;
}

/** One of the checks that can deny an entitlement. It returns its decision synchronously if no store is needed. */
export interface Layer {
  /** Reads what the questions need, in at most one call, so that {@link passes} makes none for them. */
  load(questions: readonly AccessQuestion[], context: EvaluationContext): Promise<void>;

  /** Says whether this layer allows it; makes at most one store call. */
  passes(question: AccessQuestion, context: EvaluationContext): Awaitable<boolean>;

  /** Finds out why this layer denies it; makes at most two store calls, one after the other. */
  findDenial(question: AccessQuestion, context: EvaluationContext): Awaitable<Denial | null>;
}
