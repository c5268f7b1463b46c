import {
  type Cause,
  compareCodePoints,
  type NewUser,
  type Page,
  type PageRequest,
  type UserId,
  type UserRecord,
  type UserStore,
} from '@x/store';
import { logged, type LoggedChange, parseCursor, type Recorded, type TimeKey, toPage } from '@x/store/engine';
import { type AssignmentTable, toAssignments } from '../access/assignment-table.ts';
import { type GroupTable, leaveAllGroups } from '../access/groups.ts';
import type { EdgeTable } from '../access/hierarchy.ts';
import { everyRow } from '../database/indexes.ts';
import type { StepExecutor } from '../database/executor.ts';
import { Table, take } from '../database/table.ts';
import { compareNewest, compareText, copyDate, copyJson, copyRow } from '../database/values.ts';
import { type EventTable, record } from '../events.ts';

/** Creates the user store. */
export function createUserStore(executor: StepExecutor<UserTables>): UserStore {
  const change = ({ id, to, log }: UserChange, cause: Cause | undefined): Promise<UserRecord | null> =>
    record(executor, cause, ({ users }, now) => {
      const changed = changeUser(users, id, now, (user) => to(user, now));
      return recordedUser(changed, (user) => [typeof log === 'string' ? logged.user(log, user) : log(user)]);
    });
  return {
    create: async (user, cause) => {
      // Copied first: the caller may change it while the step waits.
      const row = toUserRow(user);
      return record(executor, cause, ({ users }, now) => {
        const created = createUser(users, { ...row, createdAt: now, updatedAt: now });
        return recordedUser(created, (stored) => [logged.user('user.created', stored)]);
      });
    },
    findById: async (id) => executor.read(({ users }) => toFound(users.get(id))),
    // During a transaction, no other caller writes.
    lock: async (id) => executor.read(({ users }) => toFound(users.get(id))),
    findMany: async (ids) =>
      executor.read(({ users }) => [...new Set(ids)].flatMap((id) => toFound(users.get(id)) ?? [])),
    findByLoginEmail: async (loginEmail) => executor.read(({ users }) => toFound(users.find('loginEmail', loginEmail))),
    search: async (emailPrefix, limit) => executor.read(({ users }) => searchUsers(users, emailPrefix, limit)),
    list: async (page) => executor.read(({ users }) => listUsers(users, page)),
    changePassword: async (id, { expectedHash, nextHash }, cause) =>
      record(executor, cause, ({ users }, now) => {
        const changed = changePassword(users, { id, expectedHash, nextHash, now });
        return { outcome: changed !== null, recorded: changed ? [logged.user('password.changed', changed)] : [] };
      }),
    rehashPassword: async (id, { expectedHash, nextHash }) =>
      executor.write(({ users }, now) => changePassword(users, { id, expectedHash, nextHash, now }) !== null),
    setPassword: async (id, passwordHash, cause) =>
      change({ id, to: () => ({ passwordHash }), log: 'password.changed' }, cause),
    resetPassword: async (id, passwordHash, cause) =>
      change({ id, to: () => ({ passwordHash }), log: 'password.reset' }, cause),
    verifyEmail: async (id, email, cause) =>
      record(executor, cause, ({ users }, now) => {
        const isNew = users.get(id)?.emailVerified === false;
        const verified = verifyEmail(users, { id, email, now });
        return recordedUser(verified, (user) => (isNew ? [logged.user('email.verified', user)] : []));
      }),
    proveEmail: async (id, email, cause) =>
      record(executor, cause, ({ users }, now) => {
        const isNew = users.get(id)?.emailProvenAt === null;
        const proven = proveEmail(users, { id, email, now });
        return recordedUser(proven, (user) => (isNew ? [logged.user('email.verified', user)] : []));
      }),
    claimEmail: async (id, email, cause) =>
      record(executor, cause, ({ users }, now) => claimEmail(users, { id, email, now })),
    setDisabled: async (id, isDisabled, cause) => {
      const log = isDisabled ? 'user.disabled' : 'user.enabled';
      return change({ id, to: (user, now) => setDisabled(user, isDisabled, now), log }, cause);
    },
    setRole: async (id, role, cause) =>
      change({ id, to: () => ({ role }), log: (user) => logged.accountRole(user) }, cause),
    setTenant: async (id, tenantId, cause) =>
      change({ id, to: () => ({ tenantId }), log: (user) => logged.homeTenant(user) }, cause),
    setFields: async (id, fields, cause) => {
      // Copied first: the caller may change them while the step waits.
      const copied = copyJson(fields);
      return change({ id, to: () => ({ fields: copied }), log: 'user.updated' }, cause);
    },
    startReclaim: async (id, cause) => {
      const reclaimed = { passwordHash: null, emailVerified: true, unfinished: 'reclaim' } as const;
      return change({ id, to: () => reclaimed, log: 'account.reclaimed' }, cause);
    },
    startDeletion: async (id, cause) => {
      const left = { passwordHash: null, loginEmail: null, unfinished: 'deletion' } as const;
      return change(
        { id, to: (user, now) => ({ ...setDisabled(user, true, now), ...left }), log: 'user.deleted' },
        cause,
      );
    },
    listUnfinished: async (page) => executor.read(({ users }) => listUnfinished(users, page)),
    delete: async (id, cause) => record(executor, cause, (tables) => deleteUser(tables, id)),
  };
}

/** A change of one user. */
interface UserChange {
  readonly id: UserId;
  /** Returns what becomes of the user. */
  readonly to: (user: UserRecord, now: Date) => Partial<UserRecord>;
  /** The change as the log has it. */
  readonly log: Parameters<typeof logged.user>[0] | ((user: UserRecord) => LoggedChange);
}

function recordedUser(
  user: UserRecord | null,
  log: (user: UserRecord) => readonly LoggedChange[],
): Recorded<UserRecord | null> {
  return { outcome: user, recorded: user ? log(user) : [] };
}

/** The tables of the store of users: the users, and the rows that are deleted with them. */
interface UserTables {
  readonly users: UserTable;
  /** Deletes the rows of other tables that are deleted with the user. */
  deleteOwned(userId: UserId): void;
  readonly assignments: AssignmentTable;
  readonly memberships: EdgeTable;
  readonly groups: GroupTable;
  readonly events: EventTable;
}

function toFound(row: UserRecord | undefined): UserRecord | null {
  return row ? copyRow(row) : null;
}

function createUser(users: UserTable, row: UserRecord): UserRecord | null {
  if (row.loginEmail !== null && users.find('loginEmail', row.loginEmail)) return null;
  users.insert(row);
  return copyRow(row);
}

function searchUsers(users: UserTable, emailPrefix: string, limit: number): readonly UserRecord[] {
  const found = [...users.select('byAge', everyRow)].filter(({ email }) => email.startsWith(emailPrefix));
  const compare = (a: UserRecord, b: UserRecord): number =>
    compareCodePoints(a.email, b.email) || compareText(a.id, b.id);
  return found.toSorted(compare).slice(0, limit).map(copyRow);
}

function listUsers(users: UserTable, { limit, after }: PageRequest): Page<UserRecord> {
  const last = after === null ? null : parseCursor(after);
  const rows = users.select('byAge', everyRow, (user) => last !== null && compareNewest(toUserKey(user), last) <= 0);
  return toPage(take(rows, limit + 1).map(copyRow), limit, toUserKey);
}

function listUnfinished(
  users: UserTable,
  { after, limit }: { readonly after: UserId | null; readonly limit: number },
): readonly UserRecord[] {
  const found = users.select('unfinished', everyRow, ({ id }) => after !== null && id <= after);
  return take(found, limit).map(copyRow);
}

function changePassword(
  users: UserTable,
  change: { readonly id: UserId; readonly expectedHash: string | null; readonly nextHash: string; readonly now: Date },
): UserRecord | null {
  if (users.get(change.id)?.passwordHash !== change.expectedHash) return null;
  return changeUser(users, change.id, change.now, () => ({ passwordHash: change.nextHash }));
}

/** An address that is verified or proven. */
interface VerifiedAddress {
  readonly id: UserId;
  readonly email: string;
  readonly now: Date;
}

function verifyEmail(users: UserTable, { id, email, now }: VerifiedAddress): UserRecord | null {
  if (users.get(id)?.email !== email) return null;
  return changeUser(users, id, now, () => ({ emailVerified: true }));
}

function proveEmail(users: UserTable, { id, email, now }: VerifiedAddress): UserRecord | null {
  if (users.get(id)?.email !== email) return null;
  return changeUser(users, id, now, ({ unfinished }) => ({
    emailVerified: true,
    emailProvenAt: now,
    unfinished: unfinished === 'reclaim' ? null : unfinished,
  }));
}

function claimEmail(users: UserTable, { id, email, now }: VerifiedAddress): Recorded<'claimed' | 'taken' | 'missing'> {
  const user = users.get(id);
  if (!user) return { outcome: 'missing', recorded: [] };
  const holder = users.find('loginEmail', email);
  if (holder && holder.id !== id) return { outcome: 'taken', recorded: [] };
  users.put({ ...user, email, loginEmail: email, emailVerified: true, emailProvenAt: null, updatedAt: now });
  return { outcome: 'claimed', recorded: [logged.email(user, email)] };
}

function setDisabled({ disabledAt }: UserRecord, isDisabled: boolean, now: Date): Partial<UserRecord> {
  return { disabledAt: isDisabled ? (disabledAt ?? now) : null };
}

function deleteUser(tables: UserTables, id: UserId): Recorded<UserRecord | null> {
  const { users, assignments } = tables;
  const user = users.get(id);
  if (!user) return { outcome: null, recorded: [] };
  tables.deleteOwned(id);
  const roles = [...assignments.selectFirst(id)];
  for (const { resourceKey } of roles) assignments.delete(id, resourceKey);
  const left = leaveAllGroups(tables, id);
  users.delete(id);
  const recorded = [
    ...logged.deletion(user),
    ...toAssignments(roles).map((role) => logged.role('role.revoked', role)),
    ...left.map((membership) => logged.membership('group.member_removed', membership)),
  ];
  return { outcome: copyRow(user), recorded };
}

function changeUser(
  users: UserTable,
  id: UserId,
  now: Date,
  change: (user: UserRecord) => Partial<UserRecord>,
): UserRecord | null {
  const user = users.get(id);
  if (!user) return null;
  const changed = { ...user, ...change(user), updatedAt: now };
  users.put(changed);
  return copyRow(changed);
}

/** Users, indexed by id and login e-mail, and ordered newest first; those with an unfinished step by id, too. */
export type UserTable = Table<UserRecord, 'loginEmail', 'byAge' | 'unfinished'>;

/** Creates an empty table of users. */
export function createUserTable(): UserTable {
  return new Table({
    keyOf: (user) => user.id,
    unique: { loginEmail: (user) => user.loginEmail },
    ordered: {
      byAge: { compare: (a, b) => compareNewest(toUserKey(a), toUserKey(b)) },
      unfinished: {
        groupOf: ({ unfinished }) => (unfinished === null ? null : everyRow),
        compare: (a, b) => compareText(a.id, b.id),
      },
    },
  });
}

/** Returns the sort key of a list of users. */
function toUserKey(user: UserRecord): TimeKey {
  return { at: user.createdAt, id: user.id };
}

/** Builds the row of a new user, except the timestamps. */
function toUserRow(user: NewUser): Omit<UserRecord, 'createdAt' | 'updatedAt'> {
  return {
    id: user.id,
    email: user.email,
    loginEmail: user.loginEmail,
    emailVerified: user.emailVerified,
    emailProvenAt: copyDate(user.emailProvenAt),
    passwordHash: user.passwordHash,
    role: user.role,
    tenantId: user.tenantId,
    disabledAt: null,
    unfinished: null,
    fields: copyJson(user.fields),
  };
}
