import { CodedError } from '@x/errors';
import { isStorableText, type Page, type PageRequest, type Resource } from '@x/store';
import { passesAll } from '../decision/can.ts';
import { loadLayers, passesEach, tenantLayers } from '../decision/layers.ts';
import { type EvaluationContext, isKnownResource } from '../decision/question.ts';
import type { CompiledAccess, CompiledEntitlement, RoleRequirement } from '../definition/compile-access.ts';
import { findWay, type RolePath, type WaySearch } from './role-paths.ts';

/** Selects a page of the resources that a user may act on, or of the users who may. */
export interface AccessPageOptions {
  /** How many items a page has at most, 1 to 100. Default 20. */
  readonly limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly after?: string | null;
}

/** Which resources to look up, and which page of them. */
export interface LookupOptions<Type extends string = string> extends AccessPageOptions {
  /** The type of the resources. */
  readonly type: Type;
}

/** A resource on which a user has an entitlement. */
export interface FoundResource<Type extends string = string> {
  readonly resource: { readonly type: Type; readonly id: string };
  /** The shortest way by which the user gets a sufficient role, from the assignment down to the resource. */
  readonly way: RolePath;
}

/** A user who has an entitlement on a resource. */
export interface FoundUser {
  readonly userId: string;
  /** The shortest way by which the user gets a sufficient role, from the assignment down to the resource. */
  readonly way: RolePath;
}

const nothing = { items: [], nextCursor: null } as const;

/** The user on whose behalf something is looked up; null for an anonymous caller. */
type Asker = string | null;

/**
 * Looks up a page of the resources on which the user of a context has an entitlement: one call for the page, and one
 * for the paths to its resources, from which the layers decide again.
 */
export async function lookup<Type extends string>(
  context: EvaluationContext,
  entitlement: string,
  options: LookupOptions<Type>,
  caller: Asker,
): Promise<Page<FoundResource<Type>>> {
  const page = toPageRequest(options);
  const { access, reads } = context;
  const { type } = options;
  const found = findRequirement(access, entitlement, type);
  if (context.caller.userId === null || !found) return nothing;
  const { items: ids, nextCursor } = await reads.roles.listGranted(found.required, { ...page, caller });
  const resources = ids.map((id) => ({ type, id }));
  await reads.roles.load(resources);
  const questions = resources.map((resource) => ({ entitlement: found.entitlement, resource, row: null }));
  await loadLayers(context, tenantLayers, questions);
  const allowed = await Promise.all(questions.map(async (question) => passesAll(context, question)));
  const search: WaySearch = { access, known: new Map() };
  const items = await Promise.all(
    resources
      .filter((_, index) => allowed[index])
      .map(async (resource): Promise<readonly FoundResource<Type>[]> => {
        const way = findWay(search, (await reads.roles.read(resource)).granted, found.required);
        return way ? [{ resource, way }] : [];
      }),
  );
  return { items: items.flat(), nextCursor };
}

/**
 * Looks up a page of the users who have an entitlement on a resource, in one call. The other layers are the same for
 * all of them, so they are evaluated once.
 */
export async function who(
  context: EvaluationContext,
  { entitlement, resource }: { readonly entitlement: string; readonly resource: Resource },
  options: AccessPageOptions,
  caller: Asker,
): Promise<Page<FoundUser>> {
  const page = toPageRequest(options);
  const { access, reads } = context;
  const found = findRequirement(access, entitlement, resource.type);
  if (!found || !isKnownResource(access, resource)) return nothing;
  const { items, nextCursor } = await reads.roles.listGrantees(resource, found.required, { ...page, caller });
  const [first] = items;
  if (!first) return nothing;
  // The ancestors of the resource are the same for all users.
  reads.roles.prime(first.granted);
  const question = { entitlement: found.entitlement, resource, row: null };
  if (!(await passesEach(context, tenantLayers, question))) return nothing;
  const users = items.flatMap(({ userId, granted }): readonly FoundUser[] => {
    const way = findWay({ access, known: new Map() }, granted, found.required);
    return way ? [{ userId, way }] : [];
  });
  return { items: users, nextCursor };
}

/** An entitlement, and the roles that are sufficient for it on a type. */
interface Found {
  readonly entitlement: CompiledEntitlement;
  readonly required: RoleRequirement;
}

/**
 * Finds the requirement of an entitlement on a type; undefined if either is not defined, or no role is sufficient.
 *
 * @throws CodedError `VALIDATION_FAILED` if it does not follow from roles, so that nothing can be listed
 */
function findRequirement(access: CompiledAccess, name: string, type: string): Found | undefined {
  const entitlement = access.entitlements.get(name);
  if (!entitlement || !access.types.has(type)) return undefined;
  if (!entitlement.needsRole) {
    throw new CodedError('VALIDATION_FAILED', `${name} needs no role: every signed-in user has it on every resource.`);
  }
  if (entitlement.rule) {
    throw new CodedError(
      'VALIDATION_FAILED',
      `${name} has rules on records, which can only be checked record by record.`,
    );
  }
  const required = entitlement.requirements.get(type);
  return required && { entitlement, required };
}

/** @throws CodedError `INVALID_QUERY` */
function toPageRequest({ limit = 20, after = null }: AccessPageOptions): PageRequest {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new CodedError('INVALID_QUERY', 'The limit must be a whole number from 1 to 100.');
  }
  if (after !== null && (typeof after !== 'string' || !isStorableText(after))) {
    throw new CodedError('INVALID_QUERY', 'The cursor is not valid.');
  }
  return { limit, after };
}
