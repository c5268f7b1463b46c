import { rules } from '@x/access';
import { defineEntity, type Entity, type Fields, type RecordAction, recordAction } from '@x/entity';
import type { StandardSchema } from '@x/errors';
import type { Resource, UserId } from '@x/store';
import { z } from 'zod';
import { emailAddress } from '../email-address.ts';
import { invite } from '../invitations/invite.ts';
import {
  type InvitationChoice,
  invitationChoice,
  type Invitations,
  invitations,
  listPending,
  renewInvitation,
  revokeInvitation,
} from '../invitations/pending.ts';
import { type PageQuery, pageQuery } from '../cursor.ts';
import { type History, history, listHistory } from '../history.ts';
import { type GivenRole, givenRole } from '../members/given.ts';
import { leave, type RoleInput, setRole, transfer } from '../members/members.ts';
import { listMembers, type MemberList, memberList, type MemberQuery, memberQuery } from '../members/members-page.ts';
import type { NameOf } from '../members/people.ts';
import { createLinkActions, type LinkActions } from '../links/link-actions.ts';
import { createPlanActions, type PlanActions } from '../plan/plan-actions.ts';
import type { SendInvitation } from '../send-invitation.ts';
import type { Settings } from '../settings.ts';
import { admitCreator, foundOrganization } from './create.ts';
import { dissolveOrganization } from './delete.ts';
import { completeDepartures } from './departures.ts';
import { makeSlug, type OrganizationModel } from '../model.ts';

/** The entity `organizations`. */
export type OrganizationEntity<Own extends Fields = {}, Role extends string = string> = Entity<
  OrganizationModel<Own>,
  OrganizationActions<OrganizationModel<Own>, Role>,
  never
>;

type Done = { readonly ok: true };
/** With `given` after a removal: what the person gave others, who still have it. */
type RoleOutcome = Done & { readonly given?: readonly GivenRole[] | undefined };
type In<T> = z.ZodType<T, T>;
type None = StandardSchema<undefined>;

/** The actions of an organization. */
type OrganizationActions<M extends OrganizationModel, Role extends string = string> = PlanActions<M> &
  LinkActions<M, Role> & {
    readonly members: RecordAction<M, In<MemberQuery>, In<MemberList>, 'GET', undefined>;
    readonly events: RecordAction<M, In<PageQuery>, In<History>, 'GET', undefined>;
    readonly 'set-role': RecordAction<M, In<RoleInput<Role>>, In<RoleOutcome>, 'POST', undefined>;
    readonly leave: RecordAction<M, None, In<Done>, 'POST', undefined>;
    readonly transfer: RecordAction<M, In<{ readonly userId: string }>, In<Done>, 'POST', undefined>;
    readonly invite: RecordAction<M, In<{ readonly email: string; readonly role: Role }>, In<Done>, 'POST', undefined>;
    readonly invitations: RecordAction<M, In<PageQuery>, In<Invitations>, 'GET', undefined>;
    readonly 'resend-invitation': RecordAction<M, In<InvitationChoice>, In<Done>, 'POST', undefined>;
    readonly 'revoke-invitation': RecordAction<M, In<InvitationChoice>, In<Done>, 'POST', undefined>;
  };

/** Creates the entity of organizations, in which people work together, and which have a plan. */
export function createEntity(
  settings: Settings,
  model: OrganizationModel,
  sendInvitation: SendInvitation,
  nameOf: NameOf,
): OrganizationEntity {
  const { type, ownerRole, definition, entitlements } = settings;
  const read = rules.entitlement(entitlements.read);
  return defineEntity({
    model,
    definition,
    resource: { type },
    access: {
      list: read,
      get: read,
      create: rules.authenticated(),
      update: rules.entitlement(entitlements.manage),
      delete: rules.all(rules.resourceRole(ownerRole), rules.fva(300)),
    },
    actions: {
      ...createMemberActions(settings, model, nameOf),
      ...createInvitationActions(settings, model, sendInvitation),
      ...createLinkActions(settings, model),
      ...createPlanActions(settings, model),
    },
    hooks: {
      before: {
        async create({ name, slug: given }, { caller, stores }) {
          if (caller.userId !== null) await admitCreator(settings, stores, caller.userId as UserId);
          return given === '' ? { slug: makeSlug(name) } : undefined;
        },
        update: ({ record, changes }) =>
          changes.slug === '' ? { slug: makeSlug(changes.name ?? record.name) } : undefined,
        delete: ({ id }, { stores, caller, now }) =>
          dissolveOrganization(stores, { organization: { type, id }, by: caller.userId }, now),
      },
      after: {
        create({ id }, { stores, caller }) {
          const userId = caller.userId as UserId | null;
          return foundOrganization(settings, stores, { organization: { type, id }, userId });
        },
      },
      afterCommit: {
        delete: (_, { stores }) => completeDepartures(settings, stores),
      },
    },
  });
}

const done: z.ZodType<Done, Done> = z.strictObject({ ok: z.literal(true) });
const ok = { ok: true } as const;

type MemberActions = Pick<
  OrganizationActions<OrganizationModel>,
  'members' | 'events' | 'set-role' | 'leave' | 'transfer'
>;

function createMemberActions(settings: Settings, model: OrganizationModel, nameOf: NameOf): MemberActions {
  const { type, ownerRole, entitlements } = settings;
  const of = ({ id }: { readonly id: string }): Resource => ({ type, id });
  const read = rules.entitlement(entitlements.read);
  return {
    members: recordAction(model, {
      summary:
        'List the members of an organization, by address: all, or a page if any parameter is given; with guests, those with a role below it',
      method: 'GET',
      errors: ['QUERY_TOO_EXPENSIVE'],
      input: memberQuery,
      output: memberList,
      rule: read,
      async handler({ record, input, stores, access, caller }) {
        if (input.guests) await access.authorize(entitlements.manage, of(record));
        return listMembers(stores, of(record), input, { nameOf, callerId: caller.userId });
      },
    }),
    events: recordAction(model, {
      summary: 'List what changed in an organization, the latest first',
      method: 'GET',
      input: pageQuery,
      output: history,
      rule: rules.entitlement(entitlements.manage),
      handler: ({ record, input, stores }) => listHistory(stores, of(record), input),
    }),
    'set-role': recordAction(model, {
      summary: `Change the role of a member, or remove them; only one with the role ${ownerRole} gives it, and one must stay`,
      errors: ['CONFLICT'],
      input: roleInput(settings.assignable),
      output: z.strictObject({ ok: z.literal(true), given: z.array(givenRole).readonly().optional() }),
      rule: rules.entitlement(entitlements.manage),
      async handler({ record, input, ...tools }) {
        const given = await setRole(settings, tools, of(record), input);
        return input.role === null ? { ...ok, given } : ok;
      },
    }),
    leave: recordAction(model, {
      summary: 'Leave an organization, and everything in it',
      errors: ['CONFLICT'],
      output: done,
      rule: read,
      async handler({ record, ...tools }) {
        await leave(settings, tools, of(record));
        return ok;
      },
    }),
    transfer: recordAction(model, {
      summary: `Hand the role ${ownerRole} over to another member`,
      input: z.strictObject({ userId: z.string() }),
      output: done,
      rule: rules.resourceRole(ownerRole),
      async handler({ record, input, ...tools }) {
        await transfer(settings, tools, of(record), input);
        return ok;
      },
    }),
  };
}

type InvitationActions = Pick<
  OrganizationActions<OrganizationModel>,
  'invite' | 'invitations' | 'resend-invitation' | 'revoke-invitation'
>;

function createInvitationActions(
  settings: Settings,
  model: OrganizationModel,
  sendInvitation: SendInvitation,
): InvitationActions {
  const { type, entitlements } = settings;
  const of = ({ id }: { readonly id: string }): Resource => ({ type, id });
  const rule = rules.entitlement(entitlements.invite);
  if (settings.offered.length === 0) return {} as InvitationActions;
  return {
    invite: recordAction(model, {
      summary: 'Invite an address to a role, by mail',
      errors: ['RATE_LIMITED'],
      input: z.strictObject({ email: emailAddress, role: oneOf(settings.offered) }),
      output: done,
      rule,
      async handler({ record, input, ...tools }) {
        const permission = { resource: of(record), entitlement: entitlements.invite };
        const request = { organizationId: record.id, ...permission, ...input };
        sendInvitation(tools.stores, await invite(settings, tools, request));
        return ok;
      },
    }),
    invitations: recordAction(model, {
      summary: 'List the invitations that wait to be accepted, the latest first',
      method: 'GET',
      input: pageQuery,
      output: invitations,
      rule,
      handler: ({ record, input, stores, now }) => listPending({ stores, now }, of(record), input),
    }),
    'resend-invitation': recordAction(model, {
      summary: 'Send the mail of an invitation again, and let it wait anew',
      errors: ['RATE_LIMITED'],
      input: invitationChoice,
      output: done,
      rule,
      async handler({ record, input, ...tools }) {
        sendInvitation(tools.stores, await renewInvitation(settings, tools, of(record), input));
        return ok;
      },
    }),
    'revoke-invitation': recordAction(model, {
      summary: 'Take an invitation back',
      input: invitationChoice,
      output: done,
      rule,
      async handler({ record, input, ...tools }) {
        await revokeInvitation(settings, tools, of(record), input);
        return ok;
      },
    }),
  };
}

function roleInput(roles: readonly string[]): z.ZodType<RoleInput, RoleInput> {
  return z
    .strictObject({
      userId: z.string(),
      role: oneOf(roles).nullable(),
      given: z.enum(['keep', 'revoke']).optional(),
    })
    .refine(({ role, given }) => role === null || given === undefined, {
      path: ['given'],
      message: 'only goes with the role null',
    });
}

function oneOf(roles: readonly string[]): z.ZodType<string, string> {
  return z.enum(roles as [string, ...string[]]);
}
