import type { AccessQuestion, Layer, LayerContext } from './layer.ts';

/** Asks whether all flags of the entitlement are on for the tenant; where none are kept, it has nothing against it. */
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
    if (!isAsked(question, context)) return true;
    return findDisabled(question, context).then((disabled) => disabled.length === 0);
  },

  async findDenial(question, context) {
    if (!isAsked(question, context)) return null;
    const disabledFlags = await findDisabled(question, context);
    return disabledFlags.length === 0 ? null : { reasons: ['flag_disabled'], meta: { disabledFlags } };
  },
};

function isAsked({ entitlement }: AccessQuestion, { reads }: LayerContext): boolean {
  return entitlement.flags.length > 0 && reads.hasFlags;
}

async function findDisabled(
  { entitlement, resource }: AccessQuestion,
  context: LayerContext,
): Promise<readonly string[]> {
  const tenantId = await findTenantId(resource, context);
  const values = await context.reads.flagsOf(tenantId, entitlement.flags);
  return entitlement.flags.filter((_, index) => values[index] !== true);
}

async function findTenantId(resource: AccessQuestion['resource'], { reads }: LayerContext): Promise<string | null> {
  return (await reads.tenantOf(resource))?.id ?? null;
}
