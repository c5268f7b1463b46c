import type { Awaitable } from '@x/errors';
import type { Denial } from '../outcome/access-check.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** One of the checks that can deny an entitlement. It returns its decision synchronously if no store is needed. */
export interface Layer {
  /**
   * Reads what the questions need, in at most one call, so that {@link passes} makes none for them. Missing if no store is
   * needed.
   */
  load?(context: EvaluationContext, questions: readonly AccessQuestion[]): Promise<void>;

  /**
   * Says whether this layer allows it; makes at most one store call. Not derived from {@link findDenial}: in memory that
   * takes a third longer.
   */
  passes(context: EvaluationContext, question: AccessQuestion): Awaitable<boolean>;

  /** Finds out why this layer denies it; makes at most two store calls, one after the other. */
  findDenial(context: EvaluationContext, question: AccessQuestion): Awaitable<Denial | null>;
}
