import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import type { FlagKey } from '@x/store';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** Checks that all flags of the entitlement are on for the tenant. Without a flag store, it never denies. */
export const flagLayer: Layer = {
  async load(context, questions) {
    if (!context.reads.hasFlags) return;
    const flagged = questions.filter(({ entitlement }) => entitlement.flags.length > 0);
    const keys = await allAwaitable(flagged.map((question) => toFlagKeys(context, question)));
    await context.reads.flagsOf(keys.flat());
  },

  passes(context, question) {
    if (!dependsOnFlags(context, question)) return true;
    return mapAwaitable(findDisabled(context, question), (disabled) => disabled.length === 0);
  },

  findDenial(context, question) {
    if (!dependsOnFlags(context, question)) return null;
    return mapAwaitable(findDisabled(context, question), (disabledFlags) =>
      disabledFlags.length === 0 ? null : { reasons: ['flag_disabled'], meta: { disabledFlags } },
    );
  },
};

function dependsOnFlags({ reads }: EvaluationContext, { entitlement }: AccessQuestion): boolean {
  return entitlement.flags.length > 0 && reads.hasFlags;
}

function findDisabled(context: EvaluationContext, question: AccessQuestion): Awaitable<readonly string[]> {
  return mapAwaitable(toFlagKeys(context, question), (keys) =>
    mapAwaitable(context.reads.flagsOf(keys), (values) =>
      question.entitlement.flags.filter((_, index) => values[index] !== true),
    ),
  );
}

/** Finds the flags of the entitlement for the tenant of the resource. */
export function toFlagKeys(
  { reads }: EvaluationContext,
  { entitlement, resource }: AccessQuestion,
): Awaitable<readonly FlagKey[]> {
  return mapAwaitable(reads.tenantOf(resource), (tenant) =>
    entitlement.flags.map((name) => ({ tenantId: tenant?.id ?? null, name })),
  );
}
