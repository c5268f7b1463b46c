import type { UserId, UserRecord, UserStore } from '@x/store';
import type { Scope } from './scope.ts';
import { fromUserRow, toUserRow, type UserTable } from './user-table.ts';

/** Creates the user store of a scope. */
export function createUserStore(scope: Scope): UserStore {
  return {
    create: async (user) => {
      // Copied before the step may have to wait for its turn.
      const row = toUserRow(user);
      return scope.write(({ users }, now) => createUser(users, { ...row, createdAt: now, updatedAt: now }));
    },
    findById: async (id) => scope.read(({ users }) => toFound(users.get(id))),
    findByLoginEmail: async (loginEmail) => scope.read(({ users }) => toFound(users.find('loginEmail', loginEmail))),
    changePassword: async (id, { expectedHash, nextHash }) =>
      scope.write(({ users }, now) => changePassword(users, { id, expectedHash, nextHash, now })),
    claimEmail: async (id, email) => scope.write(({ users }, now) => claimEmail(users, { id, email, now })),
    setDisabled: async (id, isDisabled) => scope.write(({ users }, now) => setDisabled(users, { id, isDisabled, now })),
  };
}

function toFound(row: UserRecord | undefined): UserRecord | null {
  return row ? fromUserRow(row) : null;
}

function createUser(users: UserTable, row: UserRecord): UserRecord | null {
  if (row.loginEmail !== null && users.find('loginEmail', row.loginEmail)) return null;
  users.insert(row);
  return fromUserRow(row);
}

function changePassword(
  users: UserTable,
  change: { readonly id: UserId; readonly expectedHash: string | null; readonly nextHash: string; readonly now: Date },
): boolean {
  const user = users.get(change.id);
  if (user?.passwordHash !== change.expectedHash) return false;
  users.put({ ...user, passwordHash: change.nextHash, updatedAt: change.now });
  return true;
}

function claimEmail(
  users: UserTable,
  claim: { readonly id: UserId; readonly email: string; readonly now: Date },
): 'claimed' | 'taken' | 'missing' {
  const { id, email, now } = claim;
  const user = users.get(id);
  if (!user) return 'missing';
  const holder = users.find('loginEmail', email);
  if (holder && holder.id !== id) return 'taken';
  users.put({ ...user, email, loginEmail: email, emailVerified: true, emailProvenAt: now, updatedAt: now });
  return 'claimed';
}

function setDisabled(
  users: UserTable,
  change: { readonly id: UserId; readonly isDisabled: boolean; readonly now: Date },
): UserRecord | null {
  const { id, isDisabled, now } = change;
  const user = users.get(id);
  if (!user) return null;
  const changed = { ...user, disabledAt: isDisabled ? (user.disabledAt ?? now) : null, updatedAt: now };
  users.put(changed);
  return fromUserRow(changed);
}
