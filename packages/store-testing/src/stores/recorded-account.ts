import type { SessionId, Stores } from '@x/store';
import type { SampleRecords } from '../sample-records.ts';
import { ann, by, type LogEntry, type RecordedStep, type StepCase, tenantId } from './recorded-steps.ts';

const [current, other] = ['current', 'other'] as [SessionId, SessionId];
const email = 'ann@example.com';
const hashes = { expectedHash: 'old', nextHash: 'new' };

function changed(type: string, detail: LogEntry['detail'] = {}): readonly LogEntry[] {
  return [{ type, userId: ann, detail: { ...detail, actor: by } }];
}

async function addUser({ users }: Stores, records: SampleRecords): Promise<void> {
  await users.create(
    records.user({ id: ann, tenantId, email, passwordHash: 'old', emailVerified: false, emailProvenAt: null }),
  );
}

async function addSessions(stores: Stores, records: SampleRecords): Promise<void> {
  await addUser(stores, records);
  for (const id of [current, other]) await stores.sessions.create(records.session(ann, { id }), { maxActive: 2 });
}

/** The steps of users and sessions. */
export const accountCases: Readonly<Record<Extract<RecordedStep, `users.${string}` | `sessions.${string}`>, StepCase>> =
  {
    'users.create': {
      step: ({ users }, why, records) => users.create(records.user({ id: ann, email: `${ann}@example.org` }), why),
      expected: changed('user.created'),
    },
    'users.changePassword': {
      prepare: addUser,
      step: ({ users }, why) => users.changePassword(ann, hashes, why),
      expected: changed('password.changed'),
    },
    'users.setPassword': {
      prepare: addUser,
      step: ({ users }, why) => users.setPassword(ann, 'new', why),
      expected: changed('password.changed'),
      isRepeatable: true,
    },
    'users.resetPassword': {
      prepare: addUser,
      step: ({ users }, why) => users.resetPassword(ann, 'new', why),
      expected: changed('password.reset'),
      isRepeatable: true,
    },
    'users.verifyEmail': {
      prepare: addUser,
      step: ({ users }, why) => users.verifyEmail(ann, email, why),
      expected: changed('email.verified'),
    },
    'users.proveEmail': {
      prepare: addUser,
      step: ({ users }, why) => users.proveEmail(ann, email, why),
      expected: changed('email.verified'),
    },
    'users.claimEmail': {
      prepare: addUser,
      step: ({ users }, why) => users.claimEmail(ann, 'new@example.com', why),
      expected: changed('email.changed', { from: email, to: 'new@example.com' }),
      isRepeatable: true,
    },
    'users.setDisabled': {
      prepare: addUser,
      step: ({ users }, why) => users.setDisabled(ann, true, why),
      expected: changed('user.disabled'),
      isRepeatable: true,
    },
    'users.setRole': {
      prepare: addUser,
      step: ({ users }, why) => users.setRole(ann, 'editor', why),
      expected: changed('user.role_changed', { role: 'editor' }),
      isRepeatable: true,
    },
    'users.setTenant': {
      prepare: addUser,
      step: ({ users }, why) => users.setTenant(ann, 'next', why),
      expected: [{ type: 'user.tenant_changed', userId: null, detail: { userId: ann, to: 'next', actor: by } }],
      isRepeatable: true,
    },
    'users.setFields': {
      prepare: addUser,
      step: ({ users }, why) => users.setFields(ann, { theme: 'dark' }, why),
      expected: changed('user.updated'),
      isRepeatable: true,
    },
    'users.startReclaim': {
      prepare: addUser,
      step: ({ users }, why) => users.startReclaim(ann, why),
      expected: changed('account.reclaimed'),
      isRepeatable: true,
    },
    'users.startDeletion': {
      prepare: addUser,
      step: ({ users }, why) => users.startDeletion(ann, why),
      expected: changed('user.deleted'),
      isRepeatable: true,
    },
    'users.delete': {
      prepare: addUser,
      step: ({ users }, why) => users.delete(ann, why),
      expected: changed('user.deleted'),
    },
    'sessions.create': {
      prepare: addUser,
      step: ({ sessions }, why, records) => sessions.create(records.session(ann), { maxActive: 2 }, why),
      expected: changed('sign_in.succeeded'),
      isRepeatable: true,
    },
    'sessions.setAuthenticated': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.setAuthenticated(current, 'password', why),
      expected: changed('session.confirmed', { by: 'password' }),
      isRepeatable: true,
    },
    'sessions.setSecondFactor': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.setSecondFactor(current, why),
      expected: changed('mfa.verified'),
      isRepeatable: true,
    },
    'sessions.setTenant': {
      async prepare(stores, records) {
        await addSessions(stores, records);
        await stores.sessions.setTenant(current, 'before');
      },
      step: ({ sessions }, why) => sessions.setTenant(current, tenantId, why),
      expected: changed('session.tenant_switched', { from: 'before' }),
      isRepeatable: true,
    },
    'sessions.leaveTenant': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.leaveTenant(ann, { from: tenantId, to: null }, why),
      expected: changed('session.tenant_switched', { from: tenantId, sessionIds: [current, other] }),
    },
    'sessions.revoke': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.revoke(current, why),
      expected: changed('session.revoked', { sessionIds: [current] }),
    },
    'sessions.revokeOwn': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.revokeOwn(current, other, why),
      expected: changed('session.revoked', { sessionIds: [other] }),
    },
    'sessions.revokeOthers': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.revokeOthers(current, why),
      expected: changed('session.revoked', { sessionIds: [other] }),
    },
    'sessions.revokeAll': {
      prepare: addSessions,
      step: ({ sessions }, why) => sessions.revokeAll(ann, why),
      expected: changed('session.revoked', { sessionIds: [current, other] }),
    },
  };
