import { type Result, toResult } from '@x/errors';
import type { EventRecord, Page } from '@x/store';
import { type AdminAction, disableUser, enableUser, setRole, signOutUser } from './change.ts';
import {
  type AdminDependencies,
  type AdminUser,
  type EventQuery,
  findUser,
  listEvents,
  listUsers,
  type UserListQuery,
  type UserQuery,
} from './read.ts';

/**
 * Operations on any account, for operators' code. Nothing here checks who calls it: guard your routes, for example with
 * `requireRole`. An unknown user is `NOT_FOUND`; if a store is unavailable, `SERVICE_UNAVAILABLE`.
 */
export interface AuthAdmin {
  /** Finds a user by id or by the address that they sign in with. */
  findUser(query: UserQuery): Promise<Result<AdminUser>>;
  /** Lists all users, the newest first. Codes: `INVALID_QUERY`. */
  listUsers(query?: UserListQuery): Promise<Result<Page<AdminUser>>>;
  /** Ends all sessions of a user; from then on, sign-in refuses them like a wrong password. */
  disableUser(id: string, action?: AdminAction): Promise<Result<AdminUser>>;
  /** Lets a disabled user sign in again. */
  enableUser(id: string, action?: AdminAction): Promise<Result<AdminUser>>;
  /** Gives a user a role. JWTs that name the old one are refused; the sessions stay. Codes: `VALIDATION_FAILED`. */
  setRole(id: string, role: string, action?: AdminAction): Promise<Result<AdminUser>>;
  /** Ends all sessions of a user, and returns how many. */
  signOutUser(id: string, action?: AdminAction): Promise<Result<{ readonly revoked: number }>>;
  /** Lists the events of a user or of a tenant, the newest first. Codes: `INVALID_QUERY`. */
  listEvents(query: EventQuery): Promise<Result<Page<EventRecord>>>;
}

/** Builds `auth.admin`. */
export function createAuthAdmin(deps: AdminDependencies): AuthAdmin {
  const run = <T>(verb: () => Promise<T>): Promise<Result<T>> => toResult(verb, deps.events.logger);
  return {
    findUser: (query) => run(() => findUser(deps, query)),
    listUsers: (query) => run(() => listUsers(deps, query)),
    disableUser: (id, action) => run(() => disableUser(deps, id, action)),
    enableUser: (id, action) => run(() => enableUser(deps, id, action)),
    setRole: (id, role, action) => run(() => setRole(deps, { id, role }, action)),
    signOutUser: (id, action) => run(() => signOutUser(deps, id, action)),
    listEvents: (query) => run(() => listEvents(deps, query)),
  };
}
