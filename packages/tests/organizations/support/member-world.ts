import { setImmediate } from 'node:timers/promises';
import { defineAccess, rules } from '@x/access';
import { defineEntity, defineModel, type EntityApi, field, type Model, recordAction, toEntityTables } from '@x/entity';
import { type Result, toResult, unwrap } from '@x/errors';
import { createOrganizations, type SentInvitation } from '@x/organizations';
import { createServer, type Server } from '@x/server';
import {
  type Clock,
  type EntityTable,
  type Resource,
  type SessionId,
  type Stores,
  toRefreshTokenHash,
  type UserId,
} from '@x/store';
import { ManualClock } from '@x/store-testing/clock';
import { all, eq } from '@x/store/where';
import { z } from 'zod';
import { chosen, type NaiveOrganization, type Outcome, roles, type Step, type Who } from './naive-organization.ts';

/** Opens empty stores. */
export type OpenStores = (options: { readonly clock: Clock; readonly entities: readonly EntityTable[] }) => Stores;

/** An organization with one team. */
export interface Company {
  readonly organization: Resource;
  readonly team: Resource;
  /** The tokens of the mails, by whom they were sent to; null if no step uses them, so that no mail is waited for. */
  readonly mailed: Map<Who, string> | null;
  /** The links, in the order in which they were created. */
  readonly links: { readonly id: string; readonly token: string }[];
}

/** The stored state of a company. */
export interface StoredCompany {
  readonly roles: readonly string[];
  readonly leads: readonly string[];
  readonly given: readonly string[];
  readonly grouped: readonly string[];
  readonly invitations: readonly string[];
  readonly links: readonly string[];
  readonly here: readonly string[];
}

/** Says the same of an organization as it should be. */
export function toStoredCompany({
  roles,
  leads,
  given,
  grouped,
  invitations,
  links,
  here,
}: NaiveOrganization): StoredCompany {
  return {
    roles: [...roles].map(([who, role]) => `${who} ${role}`).toSorted(),
    leads: [...leads.keys()].map(String).toSorted(),
    given: given.toSorted(),
    grouped: [...grouped].map(String).toSorted(),
    invitations: invitations.map(({ whom, role, by }) => `${by} invites ${whom} as ${role}`).toSorted(),
    links: links.map(({ by, role, uses }) => `${by} invites as ${role}, used ${uses} times`).toSorted(),
    here: [...here].map(String).toSorted(),
  };
}

/** The current account of a person: another one after they deleted theirs. */
interface Account {
  readonly userId: UserId;
  readonly sessionId: SessionId;
}

/** Everybody in a world, as JSON. */
export interface People {
  /** The common part of their addresses. */
  readonly name: string;
  readonly accounts: readonly (readonly [Who, Account])[];
}

const unknownId = '00000000-0000-4000-8000-000000000000';

/** People and their companies on one server, whose operations are called in process. */
export class MemberWorld {
  readonly #app: ReturnType<typeof declareCompanyApp>;
  readonly #server: Server;
  readonly #clock: ManualClock;
  readonly #accounts: Map<Who, Account>;
  readonly #name: string;

  private constructor(app: ReturnType<typeof declareCompanyApp>, server: Server, clock: ManualClock, people: People) {
    this.#app = app;
    this.#server = server;
    this.#clock = clock;
    this.#accounts = new Map(people.accounts);
    this.#name = people.name;
  }

  /** Signs people up on a new server. */
  static async open(openStores: OpenStores, names: readonly Who[]): Promise<MemberWorld> {
    const world = await MemberWorld.join(openStores, { name: crypto.randomUUID(), accounts: [] });
    for (const who of names) await world.#signUp(who);
    return world;
  }

  /** Starts another server for the people of a world, on the same database. */
  static async join(openStores: OpenStores, people: People): Promise<MemberWorld> {
    const clock = new ManualClock();
    const app = declareCompanyApp();
    const { organizations, definition, teams, tables } = app;
    const server = await createServer({
      database: openStores({ clock, entities: tables }),
      auth: { production: false, session: { strategy: 'jwt' } },
      access: { definition },
      organizations,
      entities: [teams],
      openapi: false,
      logger: false,
    });
    await server.initialize();
    return new MemberWorld(app, server, clock, people);
  }

  /** The people as they are now, for {@link MemberWorld.join}. */
  get people(): People {
    return { name: this.#name, accounts: [...this.#accounts] };
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Founds a company, an hour later, so that limits of the hour have room. */
  async found(by: Who): Promise<Company> {
    this.#clock.advance(3_600_000);
    const { organizations, teams } = this.#app;
    const { id } = unwrap(await this.#as(by).create(organizations.entity, { name: 'Acme' })).record;
    const team = unwrap(await this.#as(by).create(teams, { organizationId: id })).record;
    const organization = { type: 'organization', id };
    return { organization, team: { type: 'team', id: team.id }, mailed: new Map(), links: [] };
  }

  /** Takes a step; `before` is the organization as it should be until then. */
  async take(step: Step, company: Company, before: NaiveOrganization): Promise<Outcome> {
    const { organization, team, mailed, links } = company;
    const { organizations, teams } = this.#app;
    const api = this.#as(step.by);
    const on = { id: organization.id };
    const { entity, services } = organizations;
    switch (step.do) {
      case 'set-role': {
        const { role, given } = step;
        const input = { userId: this.#account(step.whom).userId, role, ...(role === null && given && { given }) };
        return toOutcome(await api.act(entity, 'set-role', { ...on, input }));
      }
      case 'enroll':
        return this.#enroll(step.whom, step.role, organization);
      case 'leave':
        return toOutcome(await api.act(entity, 'leave', on));
      case 'transfer':
        return toOutcome(
          await api.act(entity, 'transfer', { ...on, input: { userId: this.#account(step.whom).userId } }),
        );
      case 'share':
        return toOutcome(
          await api.act(teams, 'share', { id: team.id, input: { userId: this.#account(step.whom).userId } }),
        );
      case 'group':
        return this.#group(step.whom, organization);
      case 'switch':
        return this.#switch(step.by, organization);
      case 'invite':
        return this.#invite(step, company);
      case 'accept':
      case 'decline': {
        const input = { invitationId: await this.#invitationTo(step.by, organization) };
        return toOutcome(await api.act(services[0], step.do, { input }));
      }
      case 'join-by-mail': {
        const invitation = chosen(before.invitations, step.nth);
        const token = (invitation && mailed?.get(invitation.whom)) ?? 'none';
        return toOutcome(await api.act(services[0], 'join', { input: { token } }));
      }
      case 'join-by-link': {
        const token = links[chosen(before.links, step.nth)?.number ?? -1]?.token ?? 'none';
        return toOutcome(await api.act(services[0], 'join', { input: { token } }));
      }
      case 'create-link': {
        const { role, maxUses } = step;
        const created = await api.act(entity, 'create-link', { ...on, input: { role, maxUses } });
        if (created.ok) links.push(created.value);
        return toOutcome(created);
      }
      case 'revoke-invitation': {
        const whom = chosen(before.invitations, step.nth)?.whom;
        const invitationId = whom === undefined ? unknownId : await this.#invitationTo(whom, organization);
        return toOutcome(await api.act(entity, 'revoke-invitation', { ...on, input: { invitationId } }));
      }
      case 'revoke-link': {
        const linkId = links[chosen(before.links, step.nth)?.number ?? -1]?.id ?? unknownId;
        return toOutcome(await api.act(entity, 'revoke-link', { ...on, input: { linkId } }));
      }
      case 'delete':
        return toOutcome(await api.delete(entity, organization.id));
      case 'delete-account':
        return this.#deleteAccount(step.by);
    }
  }

  /** Reads all that is stored about a company, also once it is deleted. */
  async read({ organization, team }: Company): Promise<StoredCompany> {
    const { roleAssignments, groups, sessions, users } = this.#server.stores;
    const names = new Map([...this.#accounts].map(([who, { userId }]) => [userId as string, who]));
    const nameOf = (userId: unknown): string => String(names.get(String(userId)) ?? 'a deleted user');
    const emails = new Map([...this.#accounts.keys()].map((who) => [this.#email(who), who]));
    const inOrganization = await roleAssignments.listByResource(organization);
    const inTeam = await roleAssignments.listByResource(team);
    const [here, given]: [Who[], string[]] = [[], []];
    for (const [who, { userId, sessionId }] of this.#accounts) {
      const places = [(await sessions.findById(sessionId))?.tenantId, (await users.findById(userId))?.tenantId];
      if (places.includes(organization.id)) here.push(who);
      const grants = await roleAssignments.listWithin(organization, { grantedBy: userId, limit: 100 });
      given.push(...grants.map((grant) => `${who} made ${nameOf(grant.userId)} ${grant.role}`));
    }
    return {
      roles: inOrganization.map(({ userId, role }) => `${nameOf(userId)} ${role}`).toSorted(),
      leads: inTeam.map(({ userId }) => nameOf(userId)).toSorted(),
      given: given.toSorted(),
      grouped: (await groups.listMembers(organization.id, { limit: 100, after: null })).items
        .map(({ userId }) => nameOf(userId))
        .toSorted(),
      invitations: (await this.#rows('organization-invitations', organization))
        .map(
          ({ grantedBy, email, role }) =>
            `${nameOf(grantedBy)} invites ${emails.get(String(email))} as ${String(role)}`,
        )
        .toSorted(),
      links: (await this.#rows('organization-links', organization))
        .map(
          ({ grantedBy, role, uses }) => `${nameOf(grantedBy)} invites as ${String(role)}, used ${String(uses)} times`,
        )
        .toSorted(),
      here: here.map(String).toSorted(),
    };
  }

  async #signUp(who: Who): Promise<void> {
    const { users, sessions, clock } = this.#server.stores;
    const now = clock.now();
    const userId = crypto.randomUUID() as UserId;
    const sessionId = crypto.randomUUID() as SessionId;
    const email = this.#email(who);
    const user = { id: userId, email, loginEmail: email, emailVerified: true, emailProvenAt: now };
    await users.create({ ...user, passwordHash: null, role: 'user', tenantId: null, fields: {} });
    const refreshTokenHash = toRefreshTokenHash(sessionId, '');
    const nowhere = { ipAddress: null, userAgent: null };
    const proof = { authenticatedAt: now, authenticatedBy: 'code', secondFactorAt: now } as const;
    const session = { id: sessionId, userId, refreshTokenHash, refreshSalt: '', ...nowhere, ...proof };
    await sessions.create({ ...session, expiresAt: new Date(now.getTime() + 1e12) }, { maxActive: 50 });
    this.#accounts.set(who, { userId, sessionId });
  }

  #account(who: Who): Account {
    const account = this.#accounts.get(who);
    if (!account) throw new TypeError(`There is no person ${who}.`);
    return account;
  }

  /** Each person has another address in each world. */
  #email(who: Who): string {
    return `${this.#name}-${who}@example.com`;
  }

  #as(who: Who): EntityApi {
    const secondFactorAt = this.#server.stores.clock.now();
    return this.#server.entities.as({ ...this.#account(who), tenantId: null, role: 'user', secondFactorAt });
  }

  async #invite(step: Step & { readonly do: 'invite' }, { organization, mailed }: Company): Promise<Outcome> {
    const { sent, organizations } = this.#app;
    const input = { email: this.#email(step.whom), role: step.role };
    const already = sent.length;
    const outcome = toOutcome(
      await this.#as(step.by).act(organizations.entity, 'invite', { id: organization.id, input }),
    );
    if (outcome !== 'OK' || !mailed) return outcome;
    // The server does not wait for the mail.
    while (sent.length === already) await setImmediate();
    mailed.set(step.whom, sent[already]?.token ?? 'none');
    return outcome;
  }

  async #invitationTo(who: Who, organization: Resource): Promise<string> {
    const rows = await this.#rows('organization-invitations', organization);
    return rows.find(({ email }) => email === this.#email(who))?.id ?? unknownId;
  }

  async #rows(
    table: string,
    { id }: Resource,
  ): Promise<readonly (Record<string, unknown> & { readonly id: string })[]> {
    const order = [{ column: 'id', direction: 'asc' }] as const;
    const where = eq('organizationId', id);
    const { records } = await this.#server.stores.entities.list(table, { where, order, after: null, limit: 100 });
    return records.map(({ row }) => row);
  }

  /** As an app does, for members; the group has the id of its organization. */
  async #group(who: Who, { id }: Resource): Promise<Outcome> {
    return this.#server.stores.transaction(async (stores) => {
      const { userId } = this.#account(who);
      await stores.users.lock(userId);
      const assignments = await stores.roleAssignments.listByUser(userId);
      if (!assignments.some(({ resource }) => resource.id === id)) return 'NOT_FOUND';
      await stores.groups.add({ tenantId: id, groupId: id, member: { userId } });
      return 'OK';
    });
  }

  /** As an app does with people who are asked elsewhere. */
  async #enroll(who: Who, role: string, resource: Resource): Promise<Outcome> {
    const { userId } = this.#account(who);
    return this.#server.stores.transaction(async (stores) => {
      await stores.users.lock(userId);
      await stores.lock(`organization:${resource.id}`);
      if ((await stores.entities.get('organizations', resource.id, all)) === null) return 'NOT_FOUND';
      const assignments = await stores.roleAssignments.listByResource(resource);
      if (assignments.some((each) => each.userId === userId)) return 'CONFLICT';
      await stores.roleAssignments.assign({ userId, resource, role }, { tenantId: resource.id });
      return 'OK';
    });
  }

  /** As auth does. */
  async #switch(who: Who, { id }: Resource): Promise<Outcome> {
    const { userId, sessionId } = this.#account(who);
    return this.#server.stores.transaction(async (stores) => {
      const user = await stores.users.lock(userId);
      const assignments = await stores.roleAssignments.listByUser(userId);
      if (!user || !assignments.some(({ resource }) => resource.id === id)) return 'FORBIDDEN';
      await stores.users.setTenant(userId, id);
      await stores.sessions.setTenant(sessionId, id);
      return 'OK';
    });
  }

  /** As auth does, and has them come back. */
  async #deleteAccount(who: Who): Promise<Outcome> {
    const { stores, auth } = this.#server;
    const { beforeUserDelete } = this.#app.organizations.connect({ stores, entities: () => this.#server.entities });
    const { userId } = this.#account(who);
    const user = unwrap(await auth.admin.findUser({ id: userId }));
    const deletion = await toResult(() =>
      stores.transaction(async (inside) => {
        await inside.users.lock(userId);
        await beforeUserDelete(user, { stores: inside, afterCommit: () => {} });
        await inside.sessions.revokeAll(userId);
        await inside.users.startDeletion(userId);
      }),
    );
    if (!deletion.ok) return toOutcome(deletion);
    await auth.prune();
    await this.#signUp(who);
    return 'OK';
  }
}

function toOutcome(result: Result<unknown>): Outcome {
  return result.ok ? 'OK' : (result.error.code as Outcome);
}

const definition = defineAccess({
  entities: {
    organization: { roles },
    team: { roles: ['lead'], inherits: { 'organization:owner': 'lead', 'organization:admin': 'lead' } },
  },
  entitlements: {
    'organization:read': { roles },
    'organization:manage': { roles: ['owner', 'admin'] },
    'organization:invite': { roles: ['owner', 'admin'] },
    'team:manage': { roles: ['lead'] },
  },
});

const teamModel = defineModel('teams', {
  fields: { organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }) },
  parent: 'organizationId',
});

/** Declares an app of companies with teams; its mails are collected. */
function declareCompanyApp() {
  const sent: SentInvitation[] = [];
  const invitations = { onSend: (each: SentInvitation) => void sent.push(each) };
  const organizations = createOrganizations({ definition, invitations, maxOwned: 1_000_000 });
  const lead = rules.entitlement('team:manage');
  const teams = defineEntity({
    model: teamModel,
    definition,
    resource: { type: 'team', creatorRole: 'lead' },
    access: { list: lead, get: lead, create: rules.authenticated(), update: false, delete: false },
    actions: {
      share: recordAction(teamModel, {
        rule: lead,
        status: 204,
        input: z.strictObject({ userId: z.string() }),
        async handler({ record: { id }, input: { userId }, ...tools }) {
          const permission = { resource: { type: 'team', id }, entitlement: 'team:manage' };
          await organizations.giveRole(tools, { ...permission, entity: 'teams', userId, role: 'lead' });
        },
      }),
    },
  });
  const models: readonly Model[] = [...organizations.models, teamModel];
  return { definition, organizations, teams, sent, tables: toEntityTables(models) };
}
