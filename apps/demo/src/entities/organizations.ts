import { rules } from '@x/access';
import { defineEntity, defineModel, field, recordAction } from '@x/entity';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { organizationOf } from '../access/roles.ts';
import { emailAddress } from '../mail/address.ts';
import { lockCreator, makeSlug, slug, startPlan } from '../organizations/create.ts';
import { dissolveOrganization } from '../organizations/delete.ts';
import { invite, type SendInvitation } from '../organizations/invitations.ts';
import { listMembers, members, setRole } from '../organizations/members.ts';
import { addOnChange, changeAddOn, changePlan, planChange, planState, readPlanState } from '../organizations/plan.ts';

/** The data of organizations. */
export const organizationModel = defineModel('organizations', {
  fields: {
    name: field.text({ schema: z.string().min(1).max(300) }),
    slug: field.text({ unique: true, default: '', schema: slug }),
    createdBy: field.text({ nullable: true, hidden: true, serverValue: ({ userId }) => userId }),
  },
});

const { roles } = definition.entities.organization;
const read = rules.entitlement('organization:read');
const manage = rules.entitlement('organization:manage');
const done = z.strictObject({ ok: z.literal(true) });

/** Creates the entity of organizations: what people work in together, and what pays for it. */
export function createOrganizations({ sendInvitation }: { readonly sendInvitation: SendInvitation }) {
  return defineEntity({
    model: organizationModel,
    definition,
    resource: { type: 'organization', creatorRole: 'owner' },
    access: {
      list: read,
      get: read,
      create: rules.authenticated(),
      update: manage,
      delete: rules.all(rules.role('owner'), rules.fva(300)),
    },
    actions: {
      invite: recordAction(organizationModel, {
        summary: 'Invite an address to a role, by mail',
        errors: ['RATE_LIMITED'],
        input: z.strictObject({ email: emailAddress, role: z.enum(roles) }),
        output: done,
        rule: rules.entitlement('organization:invite'),
        async handler({ record, input, ...tools }) {
          const target = { organizationId: record.id, resource: organizationOf(record.id) };
          await invite(tools, { ...target, entitlement: 'organization:invite', ...input });
          sendInvitation(input.email);
          return { ok: true } as const;
        },
      }),
      members: recordAction(organizationModel, {
        summary: 'List the members of an organization, by address',
        method: 'GET',
        output: members,
        compressed: true,
        rule: read,
        handler: ({ record, stores }) => listMembers(stores, record.id),
      }),
      'set-role': recordAction(organizationModel, {
        summary: 'Change the role of a member, or remove them; only owners make owners, and one must stay',
        errors: ['CONFLICT'],
        input: z.strictObject({ userId: z.string(), role: z.enum(roles).nullable() }),
        output: done,
        rule: manage,
        async handler({ record, input, ...tools }) {
          await setRole(tools, record.id, input);
          return { ok: true } as const;
        },
      }),
      plan: recordAction(organizationModel, {
        summary: 'Get the plan of an organization, and the usage of its limits',
        method: 'GET',
        output: planState,
        rule: read,
        handler: ({ record, access }) => readPlanState(access, record.id),
      }),
      'change-plan': recordAction(organizationModel, {
        summary: 'Change the plan of an organization, as a seller would',
        path: 'plan',
        input: planChange,
        output: planState,
        rule: manage,
        handler: ({ record, input, ...tools }) => changePlan(tools, record.id, input),
      }),
      'add-ons': recordAction(organizationModel, {
        summary: 'Attach or detach an add-on',
        errors: ['CONFLICT'],
        input: addOnChange,
        output: planState,
        rule: manage,
        handler: ({ record, input, ...tools }) => changeAddOn(tools, record.id, input),
      }),
    },
    hooks: {
      before: {
        async create({ name, slug: given }, { caller, stores }) {
          await lockCreator(stores, caller.userId);
          return given === '' ? { slug: makeSlug(name) } : undefined;
        },
        update: ({ record, changes }) =>
          changes.slug === '' ? { slug: makeSlug(changes.name ?? record.name) } : undefined,
        delete: ({ id }, { stores }) => dissolveOrganization(stores, id),
      },
      after: { create: ({ id }, { stores }) => startPlan(stores, id) },
    },
  });
}
