import type { Awaitable } from '@x/errors';
import type { Denial } from '../outcome/access-check.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** One of the checks that can deny an entitlement. */
export interface Layer {
  /**
   * Reads the state that the questions need, in at most one call, so that {@link findDenial} makes none for them.
   * Missing if no store is needed.
   */
  load?(context: EvaluationContext, questions: readonly AccessQuestion[]): Promise<void>;

  /** Finds out whether this layer denies it; synchronously if no store is needed. Makes at most one store call. */
  findDenial(context: EvaluationContext, question: AccessQuestion): Awaitable<Denial | null>;

  /** Says more about a denial, where the reasons are asked for; makes at most one store call. */
  explain?(context: EvaluationContext, question: AccessQuestion, denial: Denial): Promise<Denial>;
}
