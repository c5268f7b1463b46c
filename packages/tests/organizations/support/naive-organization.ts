/** The roles of an organization in tests, the highest first. */
export const roles = ['owner', 'admin', 'member'] as const;

/** One of {@link roles}. */
export type Role = (typeof roles)[number];

/** The roles that invitations give. */
export const offeredRoles = ['admin', 'member'] as const;

/** One of {@link offeredRoles}. */
type OfferedRole = (typeof offeredRoles)[number];

/** A person in a test, by a number. A person who deletes their account comes back with a new one. */
export type Who = number;

/** A step of a person. `nth` chooses among the present candidates. */
export type Step = { readonly by: Who } & (
  | { readonly do: 'set-role'; readonly whom: Who; readonly role: Role | null; readonly given?: 'revoke' | undefined }
  | { readonly do: 'enroll'; readonly whom: Who; readonly role: OfferedRole }
  | { readonly do: 'leave' | 'delete' | 'delete-account' | 'switch' | 'accept' | 'decline' }
  | { readonly do: 'transfer' | 'share' | 'group'; readonly whom: Who }
  | { readonly do: 'invite'; readonly whom: Who; readonly role: OfferedRole }
  | { readonly do: 'create-link'; readonly role: OfferedRole; readonly maxUses: number }
  | { readonly do: 'join-by-mail' | 'join-by-link' | 'revoke-invitation' | 'revoke-link'; readonly nth: number }
);

/** The outcome of a step. */
export type Outcome = 'OK' | 'NOT_FOUND' | 'FORBIDDEN' | 'CONFLICT';

/** An invitation that waits. */
interface NaiveInvitation {
  readonly whom: Who;
  readonly role: OfferedRole;
  readonly by: Who;
}

interface NaiveLink {
  /** How many were created before. */
  readonly number: number;
  readonly role: OfferedRole;
  readonly by: Who;
  readonly maxUses: number;
  uses: number;
}

/**
 * An organization with one team, as the README describes them, in the plainest way. After any steps, the stores have to
 * contain the same.
 */
export class NaiveOrganization {
  exists: boolean = true;
  readonly roles: Map<Who, Role>;
  /** Who gave each of the roles; null for the app. */
  readonly givers: Map<Who, Who | null>;
  /** The leads of the team, and who made them that. */
  readonly leads: Map<Who, Who | null>;
  /** The members of the one group of the organization. */
  readonly grouped: Set<Who> = new Set();
  invitations: readonly NaiveInvitation[] = [];
  links: readonly NaiveLink[] = [];
  /** Whose session is in the organization. */
  readonly here: Set<Who> = new Set();
  #createdLinks = 0;

  constructor(creator: Who) {
    this.roles = new Map([[creator, 'owner']]);
    this.givers = new Map([[creator, creator]]);
    this.leads = new Map([[creator, creator]]);
  }

  /** Takes a step and says what came of it. */
  take(step: Step): Outcome {
    if (!this.exists && step.do !== 'delete-account') return step.do === 'switch' ? 'FORBIDDEN' : 'NOT_FOUND';
    switch (step.do) {
      case 'set-role':
        return this.#mayManage(step.by) ?? this.#setRole(step);
      case 'enroll':
        return this.roles.has(step.whom) ? 'CONFLICT' : done(() => this.#give(step.whom, step.role, null));
      case 'leave':
        return this.#mayRead(step.by) ?? (this.#isLastOwner(step.by) ? 'CONFLICT' : this.#remove(step.by));
      case 'transfer':
        return this.#mayRead(step.by) ?? this.#transfer(step.by, step.whom);
      case 'share':
        return this.#share(step.by, step.whom);
      case 'group':
        return this.roles.has(step.whom) ? done(() => this.grouped.add(step.whom)) : 'NOT_FOUND';
      case 'switch':
        return this.roles.has(step.by) ? done(() => this.here.add(step.by)) : 'FORBIDDEN';
      case 'invite':
        return this.#mayManage(step.by) ?? this.#invite(step);
      case 'accept':
        return this.#redeem(this.#waitingFor(step.by), step.by);
      case 'decline':
        return this.#waitingFor(step.by) ? this.#forget(this.#waitingFor(step.by)) : 'NOT_FOUND';
      case 'join-by-mail':
        return this.#joinByMail(chosen(this.invitations, step.nth), step.by);
      case 'create-link':
        return this.#mayManage(step.by) ?? this.#createLink(step);
      case 'join-by-link':
        return this.#joinByLink(chosen(this.links, step.nth), step.by);
      case 'revoke-invitation':
        return this.#mayManage(step.by) ?? this.#forget(chosen(this.invitations, step.nth));
      case 'revoke-link':
        return this.#mayManage(step.by) ?? this.#forgetLink(chosen(this.links, step.nth));
      case 'delete':
        return this.#mayRead(step.by) ?? (this.roles.get(step.by) === 'owner' ? this.#dissolve() : 'FORBIDDEN');
      case 'delete-account':
        return this.#deleteAccount(step.by);
    }
  }

  #mayRead(who: Who): Outcome | null {
    return this.roles.has(who) ? null : 'NOT_FOUND';
  }

  /** The same roles may invite. */
  #mayManage(who: Who): Outcome | null {
    return this.#mayRead(who) ?? (this.roles.get(who) === 'member' ? 'FORBIDDEN' : null);
  }

  #isLastOwner(who: Who): boolean {
    const owners = [...this.roles].filter(([, role]) => role === 'owner').map(([owner]) => owner);
    return owners.length === 1 && owners[0] === who;
  }

  #setRole({ by, whom, role, given }: Step & { readonly do: 'set-role' }): Outcome {
    if (role !== null && !this.roles.has(whom)) return 'NOT_FOUND';
    const concernsOwner = (this.roles.get(whom) === 'owner') !== (role === 'owner');
    if (concernsOwner && this.roles.get(by) !== 'owner') return 'FORBIDDEN';
    if (concernsOwner && this.#isLastOwner(whom)) return 'CONFLICT';
    if (role !== null) return done(() => this.#give(whom, role, by));
    if (given === 'revoke') this.#revokeGiven(whom, by);
    return this.#remove(whom);
  }

  /** Who has a role already keeps who gave it. */
  #give(whom: Who, role: Role, by: Who | null): void {
    if (this.roles.get(whom) !== role) this.givers.set(whom, by);
    this.roles.set(whom, role);
  }

  #revokeGiven(by: Who, operator: Who): void {
    for (const given of [this.givers, this.leads]) {
      if (given.get(operator) === by && operator !== by) given.set(operator, null);
    }
    for (const [whom, giver] of [...this.givers]) {
      if (giver !== by || whom === by) continue;
      if (this.roles.get(whom) === 'owner') this.givers.set(whom, null);
      else this.#remove(whom);
    }
    for (const [whom, giver] of [...this.leads]) if (giver === by && whom !== by) this.leads.delete(whom);
  }

  /** Who gave others what they still have. */
  get given(): readonly string[] {
    const roles = [...this.givers].map(([whom, by]) => ({ whom, by, role: this.roles.get(whom) }));
    const leads = [...this.leads].map(([whom, by]) => ({ whom, by, role: 'lead' }));
    return [...roles, ...leads].flatMap(({ whom, by, role }) =>
      by === null || by === whom ? [] : [`${by} made ${whom} ${role}`],
    );
  }

  #remove(whom: Who): Outcome {
    this.roles.delete(whom);
    this.givers.delete(whom);
    this.leads.delete(whom);
    this.grouped.delete(whom);
    this.here.delete(whom);
    this.invitations = this.invitations.filter((each) => each.by !== whom && each.whom !== whom);
    this.links = this.links.filter(({ by }) => by !== whom);
    return 'OK';
  }

  #transfer(by: Who, whom: Who): Outcome {
    if (this.roles.get(by) !== 'owner') return 'FORBIDDEN';
    if (!this.roles.has(whom)) return 'NOT_FOUND';
    if (by === whom) return 'OK';
    this.#give(whom, 'owner', by);
    this.#give(by, 'admin', by);
    return 'OK';
  }

  #share(by: Who, whom: Who): Outcome {
    const mayShare = this.leads.has(by) || ['owner', 'admin'].includes(this.roles.get(by) ?? '');
    if (!mayShare || !(this.roles.has(whom) || this.leads.has(whom))) return 'NOT_FOUND';
    if (!this.leads.has(whom)) this.leads.set(whom, by);
    return 'OK';
  }

  #invite({ by, whom, role }: NaiveInvitation): Outcome {
    this.invitations = [...this.invitations.filter((each) => each.whom !== whom), { by, whom, role }];
    return 'OK';
  }

  #waitingFor(whom: Who): NaiveInvitation | undefined {
    return this.invitations.find((each) => each.whom === whom);
  }

  /** Gives the role of an invitation, if its sender may still give it. */
  #redeem(invitation: NaiveInvitation | undefined, by: Who): Outcome {
    if (!invitation || !this.#mayStillGive(invitation)) return 'NOT_FOUND';
    this.#raise(by, invitation);
    return this.#forget(invitation);
  }

  #joinByMail(invitation: NaiveInvitation | undefined, by: Who): Outcome {
    return invitation && invitation.whom !== by ? 'FORBIDDEN' : this.#redeem(invitation, by);
  }

  #createLink({ by, role, maxUses }: Pick<NaiveLink, 'by' | 'role' | 'maxUses'>): Outcome {
    this.links = [...this.links, { number: this.#createdLinks, by, role, maxUses, uses: 0 }];
    this.#createdLinks += 1;
    return 'OK';
  }

  #joinByLink(link: NaiveLink | undefined, by: Who): Outcome {
    if (!link || link.uses >= link.maxUses) return 'NOT_FOUND';
    if (!this.#mayStillGive(link)) return 'NOT_FOUND';
    if (this.roles.has(by)) return 'OK';
    this.#raise(by, link);
    link.uses += 1;
    return 'OK';
  }

  #mayStillGive({ by }: { readonly by: Who }): boolean {
    return ['owner', 'admin'].includes(this.roles.get(by) ?? '');
  }

  #raise(whom: Who, { role, by }: { readonly role: Role; readonly by: Who }): void {
    const own = this.roles.get(whom);
    if (own === undefined || roles.indexOf(role) < roles.indexOf(own)) this.#give(whom, role, by);
  }

  #forget(invitation: NaiveInvitation | undefined): Outcome {
    if (!invitation) return 'NOT_FOUND';
    return done(() => (this.invitations = this.invitations.filter((each) => each !== invitation)));
  }

  #forgetLink(link: NaiveLink | undefined): Outcome {
    return link ? done(() => (this.links = this.links.filter((each) => each !== link))) : 'NOT_FOUND';
  }

  #dissolve(): Outcome {
    for (const all of [this.roles, this.givers, this.leads, this.grouped, this.here]) all.clear();
    [this.invitations, this.links] = [[], []];
    this.exists = false;
    return 'OK';
  }

  #deleteAccount(by: Who): Outcome {
    if (this.roles.get(by) === 'owner') return this.roles.size > 1 ? 'CONFLICT' : this.#dissolve();
    const waiting = this.invitations.filter(({ whom }) => whom === by);
    this.#remove(by);
    // They come back with another account, which gave nothing.
    for (const given of [this.givers, this.leads])
      for (const [whom, giver] of given) if (giver === by) given.set(whom, null);
    // Invitations of an address do not end with an account that has it.
    this.invitations = [...this.invitations, ...waiting.filter((each) => each.by !== by)];
    return 'OK';
  }
}

/** Chooses one of several by any number; undefined of none. */
export function chosen<T>(all: readonly T[], nth: number): T | undefined {
  return all.length === 0 ? undefined : all[nth % all.length];
}

function done(change: () => unknown): Outcome {
  change();
  return 'OK';
}
