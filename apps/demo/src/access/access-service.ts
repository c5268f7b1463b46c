import {
  type AccessCheck,
  type AccessContext,
  type AccessTrace,
  type EntitlementCheck,
  type FoundUser,
  type LimitUsage,
  rules,
} from '@x/access';
import { action, type ActionTools, defineService } from '@x/entity';
import { notFound } from '@x/errors';
import { type Resource, toUserId, type TransactionStores } from '@x/store';
import { z } from 'zod';
import { definition } from './definition.ts';

/** The schema of the usage of a limit. */
const limitUsage: z.ZodType<LimitUsage, LimitUsage> = z.strictObject({
  key: z.string(),
  max: z.int(),
  consumed: z.int(),
  remaining: z.int(),
  resetsAt: z.string().nullable(),
});

/** A record has one id, in lower case, however a request spells it. */
const resource = z.strictObject({ type: z.string(), id: z.string().toLowerCase() });

const texts = z.array(z.string()).readonly();

const decision = {
  allowed: z.boolean(),
  reasons: texts,
  reason: z.string().optional(),
  meta: z
    .strictObject({
      requiredPlans: texts.optional(),
      requiredRoles: texts.optional(),
      disabledFlags: texts.optional(),
      limit: limitUsage.optional(),
      maxAge: z.number().optional(),
    })
    .optional(),
};

/** The schemas of the inputs that select a page. */
const page = {
  limit: z.int().min(1).max(100).default(20).describe('How many items it has at most; it may have fewer.'),
  after: z.string().nullable().default(null).describe('The `nextCursor` of the page before.'),
};

/** The schema of the user whom a question is about. */
const userId = z
  .string()
  .optional()
  .describe('Another user, on a resource that the caller manages. Default: the caller.');

/** The schema of a way to a role: from where it was given, step by step, down to the resource. */
const way = z.array(z.strictObject({ resource, role: z.string(), groupId: z.string().optional() })).readonly();

function toPageSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item).readonly(), nextCursor: z.string().nullable() });
}

/**
 * The service in which callers check their entitlements, with the reasons, and list the users of the resources that
 * they manage.
 */
export const accessService = defineService({
  name: 'access',
  actions: {
    check: action({
      summary: 'Check what a user may do, in the order of the questions',
      errors: ['NOT_FOUND', 'FORBIDDEN'],
      input: z.strictObject({
        checks: z.array(z.strictObject({ entitlement: z.string(), resource: resource.optional() })).max(100),
        userId,
      }),
      output: z.strictObject({ results: z.array(z.object(decision)).readonly() }),
      rule: rules.authenticated(),
      async handler({ input: { checks, userId: about }, ...tools }) {
        if (!isOther(tools, about)) return { results: await checkReadable(tools.access, checks) };
        const asked = checks.map((each) => withResource(tools, each));
        for (const each of distinct(asked)) await authorizeManaging(tools.access, tools.stores, each);
        return { results: await tools.accessOf(about).checkAll(asked) };
      },
    }),
    explain: action({
      summary: 'Explain why a user may do something, or why not',
      errors: ['NOT_FOUND', 'FORBIDDEN'],
      input: z.strictObject({ entitlement: z.string(), resource: resource.optional(), userId }),
      output: z.looseObject({ ...decision, entitlement: z.string() }),
      rule: rules.authenticated(),
      async handler({ input: { userId: about, ...input }, ...tools }) {
        if (!isOther(tools, about)) return { ...(await explainReadable(tools.access, input)) };
        const asked = withResource(tools, input);
        await authorizeManaging(tools.access, tools.stores, asked.resource);
        return { ...(await tools.accessOf(about).explain(asked.entitlement, asked.resource)) };
      },
    }),
    lookup: action({
      summary: 'List what the caller has an entitlement on, each with the way by which they have it',
      errors: ['INVALID_QUERY', 'QUERY_TOO_EXPENSIVE'],
      input: z.strictObject({ entitlement: z.string(), type: z.string(), ...page }),
      output: toPageSchema(z.strictObject({ resource, way })),
      rule: rules.authenticated(),
      handler: ({ input: { entitlement, ...options }, caller, access }) =>
        access.lookup(caller.userId ?? '', entitlement, options),
    }),
    who: action({
      summary: 'List who has an entitlement on what the caller manages, each with the way by which they have it',
      errors: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_QUERY', 'QUERY_TOO_EXPENSIVE'],
      input: z.strictObject({ entitlement: z.string(), resource, ...page }),
      output: toPageSchema(z.strictObject({ userId: z.string(), email: z.string().nullable(), way })),
      rule: rules.authenticated(),
      async handler({ input: { entitlement, resource: asked, ...options }, access, stores }) {
        await authorizeManaging(access, stores, asked);
        const { items, nextCursor } = await access.who(entitlement, asked, options);
        const emails = await findEmails({ access, stores }, items);
        return { items: items.map((item) => ({ ...item, email: emails.get(item.userId) ?? null })), nextCursor };
      },
    }),
  },
});

function isOther({ caller }: Pick<ActionTools, 'caller'>, about: string | undefined): about is string {
  return about !== undefined && about !== caller.userId;
}

/** Makes the caller's current organization the resource of a check without one, whichever that of another user is. */
function withResource({ caller }: Pick<ActionTools, 'caller'>, { entitlement, resource: asked }: CheckInput) {
  return { entitlement, resource: asked ?? { type: 'organization', id: caller.tenantId ?? '' } };
}

function distinct(checks: readonly { readonly resource: Resource }[]): readonly Resource[] {
  return [...new Map(checks.map(({ resource: each }) => [`${each.type}:${each.id}`, each])).values()];
}

/** A check that a caller requests. */
interface CheckInput {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
}

/**
 * Evaluates checks in their order. Of resources that the caller can't see, they learn only that they have no role
 * there: a plan, and its usage, concerns only the members of its organization.
 */
async function checkReadable(access: AccessContext, inputs: readonly CheckInput[]): Promise<readonly AccessCheck[]> {
  const checks = inputs.map(toCheck);
  // `can` denies if a store fails, `check` rejects.
  const [decisions, reads] = await Promise.all([
    access.checkAll(checks),
    access.checkAll(checks.map(({ resource }) => toReadCheck(resource))),
  ]);
  return decisions.map((decision, index) =>
    reads[index]?.allowed || decision.allowed ? decision : withoutPlan(decision),
  );
}

/** Explains a decision under the same restriction. */
async function explainReadable(access: AccessContext, input: CheckInput): Promise<AccessTrace> {
  const { entitlement, resource } = toCheck(input);
  const [{ meta, ...trace }, read] = await Promise.all([
    access.explain(entitlement, resource),
    access.check(toReadCheck(resource).entitlement, resource),
  ]);
  if (read.allowed || trace.allowed) return { ...trace, ...(meta && { meta }) };
  const visible = withoutPlan({ ...trace, ...(meta && { meta }) });
  return { ...trace, ...visible, ancestors: [], flags: {}, plans: null, limits: [] };
}

/** Which entitlement manages a resource; other types are managed through the resource above them. */
const managing: Readonly<Record<string, string>> = {
  organization: 'organization:manage',
  project: 'project:update',
};

/**
 * Checks that the caller manages a resource, or the one above it.
 *
 * @throws CodedError `NOT_FOUND` for a resource that they can't see, as if it did not exist; `FORBIDDEN`
 */
async function authorizeManaging(
  access: AccessContext,
  { hierarchy }: Pick<TransactionStores, 'hierarchy'>,
  resource: Resource,
): Promise<void> {
  const read = toReadCheck(resource);
  const { allowed } = await access.check(read.entitlement, resource);
  if (!allowed) throw notFound();
  const above = Object.hasOwn(managing, resource.type) ? [] : await hierarchy.ancestors(resource);
  const managed = [resource, ...above.map((each) => each.resource)].find(({ type }) => Object.hasOwn(managing, type));
  const entitlement = managed && managing[managed.type];
  if (entitlement === undefined) throw notFound();
  await access.authorize(entitlement, managed);
}

/**
 * Finds the addresses of users. Those who belong to an organization are shown to its members alone: a guest who manages
 * a project of it is none.
 */
async function findEmails(
  { access, stores }: Pick<ActionTools, 'access' | 'stores'>,
  found: readonly FoundUser[],
): Promise<ReadonlyMap<string, string>> {
  const given = found.map(({ userId, way: [first] }) => ({ userId, place: first?.resource }));
  const organization = given.find(({ place }) => place?.type === 'organization')?.place;
  const isMember = organization && (await access.check('organization:read', organization)).allowed;
  const shown = given.filter(({ place }) => isMember || place?.type !== 'organization');
  const users = await stores.users.findMany(shown.map(({ userId }) => toUserId(userId)));
  return new Map(users.map(({ id, email }) => [id, email]));
}

function toCheck({ entitlement, resource }: CheckInput): EntitlementCheck {
  return resource ? { entitlement, resource } : { entitlement };
}

/** Builds the check of whether the caller can see a resource or, without one, their current organization. */
function toReadCheck(resource: Resource | undefined): EntitlementCheck {
  if (!resource) return { entitlement: 'organization:read' };
  const entitlement = `${resource.type}:read`;
  return {
    entitlement: Object.hasOwn(definition.entitlements, entitlement) ? entitlement : 'organization:read',
    resource,
  };
}

function withoutPlan({ reasons, meta }: AccessCheck): AccessCheck {
  const visible = reasons.filter((reason) => reason === 'role_required' || reason === 'hierarchy_denied');
  const { requiredRoles } = meta ?? {};
  const [reason = 'role_required'] = visible;
  return {
    allowed: false,
    reasons: visible.length > 0 ? visible : [reason],
    reason,
    ...(requiredRoles && { meta: { requiredRoles } }),
  };
}
