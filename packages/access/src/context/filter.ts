import type { UserId, Where } from '@x/store';
import type { CompiledEntitlement } from '../definition/compile-access.ts';
import type { LayerContext } from '../layer/layer.ts';
import { tenantLayers } from '../layer/layers.ts';
import { toWhere } from '../rule/to-where.ts';

/** What a list is filtered by. */
export interface FilterQuestion {
  /** Undefined where there is none of the name. */
  readonly entitlement: CompiledEntitlement | undefined;
  readonly type: string;
  /** Holds the id of the resource. */
  readonly column: string;
}

const always: Where = Object.freeze({ type: 'constant', value: true });
const never: Where = Object.freeze({ type: 'constant', value: false });

/** Builds the condition of the rows on which an entitlement is held. */
export async function filter(question: FilterQuestion, context: LayerContext): Promise<Where> {
  const { entitlement } = question;
  const { caller, now } = context;
  if (caller.userId === null || !entitlement) return never;
  for (const layer of tenantLayers) {
    if (!(await layer.passes({ entitlement, resource: null, row: null }, context))) return never;
  }
  const held = toHeld(question, entitlement, caller.userId);
  if (!entitlement.rule) return held;
  const ruled = toWhere(entitlement.rule, { caller, now: now(), entitled: () => never, holding: () => never });
  return { type: 'and', operands: [held, ruled] };
}

function toHeld({ type, column }: FilterQuestion, entitlement: CompiledEntitlement, userId: string): Where {
  if (!entitlement.needsRole) return always;
  const required = entitlement.on.get(type);
  if (!required) return never;
  // The id was turned into one of the stores when the context was created.
  const resources = { userId: userId as UserId, type, roles: [...required.roles], hops: required.hops };
  return { type: 'held', column, resources };
}
