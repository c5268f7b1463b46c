import type { Awaitable } from '@x/errors';
import { isStorableText, type Resource, toUserId } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import type { AccessModel } from '../definition/access-model.ts';
import type { CompiledAccess, CompiledEntitlement } from '../definition/compile-access.ts';
import { type AccessDefinition, compiledOf } from '../definition/define-access.ts';
import { AccessReads, type AccessStores } from '../reads/access-reads.ts';
import { anonymous, type RuleCaller } from '../rule/rules.ts';

/** A check to make. It may come from a request, and is not validated yet. */
export interface CheckRequest {
  readonly entitlement: string;
  /** Default: the caller's current tenant. */
  readonly resource?: Resource | undefined;
  /** The record, for entitlements with rules. */
  readonly row?: ConditionRow | undefined;
}

/** A validated request: whether the caller has an entitlement. */
export interface AccessQuestion {
  readonly entitlement: CompiledEntitlement;
  /** The resource in question; the tenant if the caller named none; null if there is neither. */
  readonly resource: Resource | null;
  /** The record, if it is at hand. */
  readonly row: ConditionRow | null;
}

/** The context in which questions are evaluated, for one request of one user. */
export interface EvaluationContext {
  readonly access: CompiledAccess;
  readonly reads: AccessReads;
  readonly caller: RuleCaller;
  readonly now: () => Date;
}

/** The user whose access is decided, and the stores it is read from. */
export interface EvaluationOptions<Model extends AccessModel = AccessModel> extends AccessStores {
  /** Null or undefined if the caller is not signed in. */
  readonly userId: string | null | undefined;
  readonly definition: AccessDefinition<Model>;
  /** Facts about the session, for the rules of entitlements. Default: none are known. */
  readonly session?: Partial<Omit<RuleCaller, 'userId'>>;
  /** Default: the clock of the process. */
  readonly now?: () => Date;
}

/** Creates the context in which one caller's questions are evaluated. */
export function createEvaluationContext<Model extends AccessModel>(
  options: EvaluationOptions<Model>,
): EvaluationContext {
  const { userId, definition, session, now = () => new Date() } = options;
  const access = compiledOf(definition);
  const isSignedIn = typeof userId === 'string' && isStorableText(userId);
  const caller = isSignedIn ? { ...anonymous, ...session, userId } : anonymous;
  const reads = new AccessReads(access, options, toUserId(caller.userId ?? ''));
  return { access, reads, caller, now };
}

/** Validates a request, at once if it names the resource; null if the entitlement or the resource is not defined. */
export function toQuestion(context: EvaluationContext, request: CheckRequest): Awaitable<AccessQuestion | null> {
  const { resource } = request;
  if (resource !== undefined) return toQuestionOn(context, request, resource);
  if (!context.access.entitlements.has(request.entitlement)) return null;
  return context.reads.tenantOf(null).then((tenant) => toQuestionOn(context, request, tenant?.resource ?? null));
}

function toQuestionOn(
  { access }: EvaluationContext,
  { entitlement, row }: CheckRequest,
  resource: Resource | null,
): AccessQuestion | null {
  const compiled = access.entitlements.get(entitlement);
  if (!compiled || (resource !== null && !isKnownResource(access, resource))) return null;
  return { entitlement: compiled, resource, row: row ?? null };
}

/** A resource may come from a request. Unless its type is defined and its id can be stored, it does not exist. */
export function isKnownResource(access: CompiledAccess, { type, id }: Resource): boolean {
  return access.types.has(type) && typeof id === 'string' && isStorableText(id);
}

/** Returns a key for a check: the entitlement, and the type and id of the resource. */
export function toCheckKey({ entitlement, resource }: Omit<CheckRequest, 'row'>): string {
  return JSON.stringify(resource ? [entitlement, resource.type, resource.id] : [entitlement]);
}
