import { type Awaitable, mapAwaitable } from '@x/errors';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** Checks that all flags of the entitlement are on for the tenant. Without a flag store, it never denies. */
export const flagLayer: Layer = {
  async load(questions, context) {
    if (!context.reads.hasFlags) return;
    const flagged = questions.filter(({ entitlement }) => entitlement.flags.length > 0);
    const flags = flagged.map(async ({ entitlement, resource }) => {
      const tenantId = await findTenantId(resource, context);
      return entitlement.flags.map((name) => ({ tenantId, name }));
    });
    await context.reads.loadFlags((await Promise.all(flags)).flat());
  },

  passes(question, context) {
    if (!dependsOnFlags(question, context)) return true;
    return mapAwaitable(findDisabled(question, context), (disabled) => disabled.length === 0);
  },

  findDenial(question, context) {
    if (!dependsOnFlags(question, context)) return null;
    return mapAwaitable(findDisabled(question, context), (disabledFlags) =>
      disabledFlags.length === 0 ? null : { reasons: ['flag_disabled'], meta: { disabledFlags } },
    );
  },
};

function dependsOnFlags({ entitlement }: AccessQuestion, { reads }: EvaluationContext): boolean {
  return entitlement.flags.length > 0 && reads.hasFlags;
}

function findDisabled(
  { entitlement: { flags }, resource }: AccessQuestion,
  context: EvaluationContext,
): Awaitable<readonly string[]> {
  return mapAwaitable(findTenantId(resource, context), (tenantId) =>
    mapAwaitable(context.reads.flagsOf(tenantId, flags), (values) =>
      flags.filter((_, index) => values[index] !== true),
    ),
  );
}

function findTenantId(resource: AccessQuestion['resource'], { reads }: EvaluationContext): Awaitable<string | null> {
  return mapAwaitable(reads.tenantOf(resource), (tenant) => tenant?.id ?? null);
}
