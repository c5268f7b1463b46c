import { type ConditionRow, isStorableText, type Resource, type UserId } from '@x/store';
import type { AccessModel } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { type AccessDefinition, compiledOf } from '../definition/define-access.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { anonymous, type RuleCaller } from '../rule/rule-caller.ts';
import { AccessReads } from './access-reads.ts';
import type { AccessSources } from './access-sources.ts';
import { whenThere, type Awaitable } from './when-there.ts';

/** Whose access it is, and where it is read. */
export interface AskingOptions<Model extends AccessModel = AccessModel> extends AccessSources {
  /** Null or undefined for a caller who is not signed in. */
  readonly userId: string | null | undefined;
  readonly definition: AccessDefinition<Model>;
  /** Facts about the session for the rules of entitlements. Default: none are known. */
  readonly session?: Partial<Omit<RuleCaller, 'userId'>>;
  /** Default: the clock of the process. */
  readonly now?: () => Date;
}

/** What a caller asks, unchecked. */
export interface Asked {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
  readonly row?: ConditionRow | undefined;
}

/** Opens what the questions of one caller are answered by. */
export function openAsking<Model extends AccessModel>(options: AskingOptions<Model>): LayerContext {
  const { userId, definition, session, now = () => new Date() } = options;
  const access = compiledOf(definition);
  const isSignedIn = typeof userId === 'string' && isStorableText(userId);
  const caller = isSignedIn ? { ...anonymous, ...session, userId } : anonymous;
  // The one place that turns the id of a session's user into that of the stores.
  const reads = new AccessReads(access, options, (caller.userId ?? '') as UserId);
  return { access, reads, caller, now };
}

/** Builds the question of what is asked; null where that is not defined. */
export function toQuestion(context: LayerContext, asked: Asked): Awaitable<AccessQuestion | null> {
  const { resource } = asked;
  if (resource !== undefined) return toQuestionOn(context, asked, resource);
  if (!context.access.entitlements.has(asked.entitlement)) return null;
  return whenThere(context.reads.tenantOf(null), (tenant) => toQuestionOn(context, asked, tenant?.resource ?? null));
}

/** Builds the question of what is asked on something that is known, or on nothing; null where that is not defined. */
function toQuestionOn(
  { access }: LayerContext,
  { entitlement, row }: Asked,
  on: Resource | null,
): AccessQuestion | null {
  const compiled = access.entitlements.get(entitlement);
  if (!compiled || (on !== null && !isKnown(access, on))) return null;
  return { entitlement: compiled, resource: on, row: row ?? null };
}

/** A resource may come from a request: anything else than a defined type and a text that a store can hold names nothing. */
export function isKnown(access: CompiledAccess, { type, id }: Resource): boolean {
  return access.types.has(type) && typeof id === 'string' && isStorableText(id);
}
