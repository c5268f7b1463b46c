import type { FlagKey } from '@x/store';
import type { Denial } from '../outcome/access-check.ts';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** Checks that all flags of the entitlement are on for the tenant. Without a flag store, it never denies. */
export const flagLayer: Layer = {
  async load(context, questions) {
    if (!context.reads.hasFlags) return;
    const flagged = questions.filter(({ entitlement }) => entitlement.flags.length > 0);
    const keys = await Promise.all(flagged.map((question) => toFlagKeys(context, question)));
    await context.reads.flagsOf(keys.flat());
  },

  findDenial(context, question) {
    return question.entitlement.flags.length > 0 && context.reads.hasFlags ? findDisabled(context, question) : null;
  },
};

async function findDisabled(context: EvaluationContext, question: AccessQuestion): Promise<Denial | null> {
  const values = await context.reads.flagsOf(await toFlagKeys(context, question));
  const disabledFlags = question.entitlement.flags.filter((_, index) => values[index] !== true);
  return disabledFlags.length > 0 ? { reasons: ['flag_disabled'], meta: { disabledFlags } } : null;
}

/** Finds the flags of the entitlement for the tenant of the resource. */
export async function toFlagKeys(
  { reads }: EvaluationContext,
  { entitlement, resource }: AccessQuestion,
): Promise<readonly FlagKey[]> {
  const tenant = await reads.tenantOf(resource);
  return entitlement.flags.map((name) => ({ tenantId: tenant?.id ?? null, name }));
}
