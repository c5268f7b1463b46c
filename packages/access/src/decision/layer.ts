import type { Awaitable } from '@x/errors';
import type { Denial } from '../outcome/access-check.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** One of the checks that can deny an entitlement. It returns its decision synchronously if no store is needed. */
export interface Layer {
  /**
   * Reads what the questions need, in at most one call, so that {@link passes} makes none for them. Missing if no store is
   * needed.
   */
  load?(questions: readonly AccessQuestion[], context: EvaluationContext): Promise<void>;

  /**
   * Says whether this layer allows it; makes at most one store call. Not derived from {@link findDenial}: in memory that
   * takes a third longer.
   */
  passes(question: AccessQuestion, context: EvaluationContext): Awaitable<boolean>;

  /** Finds out why this layer denies it; makes at most two store calls, one after the other. */
  findDenial(question: AccessQuestion, context: EvaluationContext): Awaitable<Denial | null>;
}

/** Reads what the questions need, in at most one call for each layer. */
export async function loadAll(
  layers: readonly Layer[],
  questions: readonly AccessQuestion[],
  context: EvaluationContext,
): Promise<void> {
  await Promise.all(layers.map(async (layer) => layer.load?.(questions, context)));
}
