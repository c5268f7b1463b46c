import { isStorableText, type Resource, type UserId } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import type { AccessModel } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { type AccessDefinition, compiledOf } from '../definition/define-access.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { anonymous, type RuleCaller } from '../rule/rule-caller.ts';
import { AccessReads } from './access-reads.ts';
import type { AccessStores } from './access-sources.ts';
import { whenThere, type Awaitable } from './when-there.ts';

/** Whose access it is, and the stores it is read from. */
export interface AskingOptions<Model extends AccessModel = AccessModel> extends AccessStores {
  /** Null or undefined if the caller is not signed in. */
  readonly userId: string | null | undefined;
  readonly definition: AccessDefinition<Model>;
  /** Facts about the session, for the rules of entitlements. Default: none are known. */
  readonly session?: Partial<Omit<RuleCaller, 'userId'>>;
  /** Default: the clock of the process. */
  readonly now?: () => Date;
}

/** A caller's question, not validated yet. */
export interface Asked {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
  readonly row?: ConditionRow | undefined;
}

/** Creates the context that one caller's questions are answered in. */
export function openAsking<Model extends AccessModel>(options: AskingOptions<Model>): LayerContext {
  const { userId, definition, session, now = () => new Date() } = options;
  const access = compiledOf(definition);
  const isSignedIn = typeof userId === 'string' && isStorableText(userId);
  const caller = isSignedIn ? { ...anonymous, ...session, userId } : anonymous;
  // The only place that converts the id of a session's user to that of the stores.
  const reads = new AccessReads(access, options, (caller.userId ?? '') as UserId);
  return { access, reads, caller, now };
}

/** Builds the question for the layers; null if the entitlement or the resource is not defined. */
export function toQuestion(context: LayerContext, asked: Asked): Awaitable<AccessQuestion | null> {
  const { resource } = asked;
  if (resource !== undefined) return toQuestionOn(context, asked, resource);
  if (!context.access.entitlements.has(asked.entitlement)) return null;
  return whenThere(context.reads.tenantOf(null), (tenant) => toQuestionOn(context, asked, tenant?.resource ?? null));
}

/** Builds the question about a known resource, or about none; null if the entitlement is not defined. */
function toQuestionOn(
  { access }: LayerContext,
  { entitlement, row }: Asked,
  on: Resource | null,
): AccessQuestion | null {
  const compiled = access.entitlements.get(entitlement);
  if (!compiled || (on !== null && !isKnown(access, on))) return null;
  return { entitlement: compiled, resource: on, row: row ?? null };
}

/** A resource may come from a request. Unless its type is defined and its id can be stored, it does not exist. */
export function isKnown(access: CompiledAccess, { type, id }: Resource): boolean {
  return access.types.has(type) && typeof id === 'string' && isStorableText(id);
}
