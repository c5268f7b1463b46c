import { type EventId, type Resource, type SessionId, type Stores, toRefreshTokenHash, type UserId } from '@x/store';
import { createSqlStores, type SqlDriver } from '@x/store-sql';
import { ManualClock } from '@x/store-testing/clock';
import { granted } from '@x/store/where';
import { expect, it, vi } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { aroundStatements } from './testing/around-statements.ts';

const user = 'user-1' as UserId;
const session = 'session-1' as SessionId;

it('scans no table in any statement, and sorts only active sessions', async () => {
  const clock = new ManualClock();
  const driver = createSqliteDriver({ path: ':memory:', clock, synchronous: 'FULL', migrations });
  const texts = new Set<string>();
  const entities = [{ name: 'tasks', columns: [], indexes: [] }];
  const stores = createSqlStores({ driver: record(driver, texts), clock, entities });
  const listUncalled = watchSteps(stores);
  await callEverything(stores);
  expect(listUncalled()).toEqual([]);
  const scans: string[] = [];
  for (const text of texts) {
    const placeholders = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    const values = Array.from({ length: Math.max(0, ...placeholders) }, () => null);
    const steps = await driver.read(`EXPLAIN QUERY PLAN ${text}`, values);
    const plan = steps.map((step) => String(step['detail'])).join('\n');
    if (isScan(text, plan) || isNeedlessSort(text, plan)) scans.push(`${text}\n${plan}`);
  }
  expect(texts.size).toBeGreaterThan(105);
  expect(scans).toEqual([]);
  await driver.close();
});

it('reads the paths to one resource as one range of the closure, with a lookup of each role and one of the groups', async () => {
  const clock = new ManualClock();
  const driver = createSqliteDriver({ path: ':memory:', clock, synchronous: 'FULL', migrations });
  const texts = new Set<string>();
  const stores = createSqlStores({ driver: record(driver, texts), clock });
  await stores.migrate();
  await stores.roleAssignments.readPaths(user, [toResource('task')]);
  const steps = await driver.read(`EXPLAIN QUERY PLAN ${[...texts].join(';')}`, [null, null, null]);
  expect(steps.map((step) => String(step['detail']).split(' (')[0])).toEqual([
    'CO-ROUTINE place',
    'COMPOUND QUERY',
    'LEFT-MOST SUBQUERY',
    'SEARCH access_closure USING PRIMARY KEY',
    'UNION ALL',
    'SCAN CONSTANT ROW',
    'SCAN place',
    'SEARCH assigned USING PRIMARY KEY',
    'LIST SUBQUERY 4',
    'COMPOUND QUERY',
    'LEFT-MOST SUBQUERY',
    'SCAN CONSTANT ROW',
    'UNION ALL',
    'SEARCH access_group_closure USING PRIMARY KEY',
  ]);
  await driver.close();
});

/**
 * A walk along an index up to a limit is no scan, as it returns all rows that it reads. `WITH` and bound lists are no
 * tables.
 */
function isScan(text: string, plan: string): boolean {
  const subqueries = [...text.matchAll(/(\w+) (?:\([\w, ]+\) )?AS \(|(?:\)| level_\d) AS (\w+)/g)].map(
    ([, table, name = table]) => `${name}\\b`,
  );
  const walked = [
    ...(/ LIMIT \$\d+$/.test(text) ? ['auth_users USING INDEX'] : []),
    ...(text.includes('FROM live_changes ORDER BY seq LIMIT') ? ['live_changes'] : []),
  ];
  // SQLite keeps a row there for each table with `AUTOINCREMENT`: there is one.
  const bound = [
    'sqlite_sequence',
    'CONSTANT ROW',
    '\\d+ CONSTANT ROWS',
    '\\d+-ROW VALUES CLAUSE',
    'json_each VIRTUAL TABLE',
  ];
  const allowed = [...bound, ...subqueries, ...walked];
  return new RegExp(`^SCAN (?!${allowed.join('|')})`, 'm').test(plan);
}

/** Sorts that no index can spare: of the few active sessions of a user, and of the rows of a subquery. */
function isNeedlessSort(text: string, plan: string): boolean {
  return plan.includes('TEMP B-TREE') && !/revoked_at IS NULL|\bWITH\b|DISTINCT|GROUP BY/.test(text);
}

/** Records every statement that reaches the driver. */
function record(driver: SqlDriver, texts: Set<string>): SqlDriver {
  return aroundStatements(driver, (text, run) => {
    texts.add(text);
    return run();
  });
}

/**
 * Watches the steps of all stores, and returns a function that lists those that were not called. The statements on
 * entities depend on the entity: `entity-query-plans.test.ts` checks them.
 */
function watchSteps(stores: Stores): () => readonly string[] {
  const steps = Object.entries(stores).flatMap(([name, store]: [string, unknown]) =>
    Object.entries(typeof store === 'object' ? { ...store } : {}).flatMap(([step, method]: [string, unknown]) =>
      typeof method === 'function'
        ? [{ name: `${name}.${step}`, spy: vi.spyOn(store as Record<string, () => void>, step) }]
        : [],
    ),
  );
  const isElsewhere = (name: string): boolean => name.startsWith('entities.') || name === 'changes.subscribe';
  return () =>
    steps.filter(({ name, spy }) => !isElsewhere(name) && spy.mock.calls.length === 0).map(({ name }) => name);
}

async function callEverything(stores: ReturnType<typeof createSqlStores>): Promise<void> {
  await stores.migrate();
  const { users, sessions, rateLimits, events, counters } = stores;
  const { emailVerifications, passwordResets, oneTimeIds, oauthAccounts, subscriptions, wallets } = stores;
  const { entities, roleAssignments, hierarchy, flags, tenantSnapshots } = stores;
  await users.create({
    id: user,
    email: 'a@example.com',
    loginEmail: 'a@example.com',
    emailVerified: true,
    emailProvenAt: null,
    passwordHash: null,
    role: 'user',
    tenantId: null,
    fields: {},
  });
  await users.findById(user);
  await users.lock(user);
  await users.findMany([user]);
  await users.verifyEmail(user, 'a@example.com');
  await users.findByLoginEmail('a@example.com');
  await users.changePassword(user, { expectedHash: null, nextHash: 'b' });
  await users.rehashPassword(user, { expectedHash: 'b', nextHash: 'b' });
  await users.resetPassword(user, 'b');
  await users.claimEmail(user, 'b@example.com');
  await users.setDisabled(user, false);
  await users.setRole(user, 'admin');
  await users.setTenant(user, 'a');
  await users.setFields(user, { a: 1 });
  await users.search('a', 1);
  for (const after of [null, 'mwqqitz0.a']) await users.list({ limit: 1, after });
  await sessions.create(
    {
      id: session,
      userId: user,
      refreshTokenHash: toRefreshTokenHash(session, 'a'),
      refreshSalt: 'a',
      ipAddress: null,
      userAgent: null,
      secondFactorAt: null,
      authenticatedAt: new Date(0),
      authenticatedBy: 'password',
      expiresAt: new Date('2027-01-01T00:00:00.000Z'),
    },
    { maxActive: 50 },
  );
  await sessions.findById(session);
  await sessions.findWithUser(session);
  await sessions.findByRefreshHash(toRefreshTokenHash(session, 'a'));
  await sessions.findByPreviousHash(toRefreshTokenHash(session, 'a'));
  await sessions.rotate(session, {
    expectedHash: toRefreshTokenHash(session, 'a'),
    nextHash: toRefreshTokenHash(session, 'b'),
  });
  await sessions.lockActive(session);
  await sessions.forgetPreviousToken(session, toRefreshTokenHash(session, 'b'));
  await sessions.setAuthenticated(session, 'code');
  await sessions.setSecondFactor(session);
  await sessions.setTenant(session, null);
  await sessions.leaveTenant(user, { from: 'a', to: null });
  await sessions.bumpTokenVersion(user);
  await sessions.listActive(user);
  await sessions.listOwn(session);
  await sessions.countActive(user);
  await sessions.revokeOthers(session);
  await sessions.revokeOwn(session, session);
  await sessions.revoke(session);
  await sessions.revokeAll(user);
  await sessions.prune({ before: new Date(0), limit: 1 });
  await rateLimits.check('a', 1, 1000);
  await rateLimits.isFull('a', 1);
  await rateLimits.refund('a', 1, new Date(0));
  await rateLimits.prune({ limit: 1 });
  await callMfa(stores);
  const about = { userId: user, tenantId: 'a', sessionId: null, ipAddress: null, userAgent: null };
  const event = { id: 'event-1' as EventId, type: 'a', ...about, detail: {} };
  await events.append(event);
  await events.appendOrCount(event);
  for (const after of [null, 'mwqqitz0.a']) {
    await events.listByUser(user, { limit: 1, after });
    await events.listByTenant('a', { limit: 1, after });
  }
  await events.prune({ before: new Date(0), limit: 1 });
  await events.prune({ before: new Date(0), type: 'a', limit: 1 });
  await counters.read('a');
  await counters.add('a', 1);
  const expiresAt = new Date('2027-01-01T00:00:00.000Z');
  for (const tokens of [emailVerifications, passwordResets]) {
    await tokens.replace({ userId: user, tokenHash: 'a', email: 'a@example.com', newEmail: null, expiresAt });
    await tokens.find('a');
    await tokens.consume('a');
    await tokens.remove(user);
    await tokens.prune({ before: new Date(0), limit: 1 });
  }
  await oneTimeIds.claim('a', expiresAt);
  await oneTimeIds.prune({ limit: 1 });
  await subscriptions.assign({ tenantId: 'a', planName: 'pro', group: 'base' });
  await subscriptions.attach({ tenantId: 'a', addOn: 'extra' });
  await subscriptions.updateOverrides('a', { tasks: { max: 1 } });
  await subscriptions.read('a');
  await subscriptions.readMany(['a', 'b']);
  await subscriptions.detach({ tenantId: 'a', addOn: 'extra' });
  await subscriptions.remove('a');
  const debits = ['tasks', 'exports'].map((limit) => ({ limit, periodStart: expiresAt, amount: 1, max: 1 }));
  await wallets.consume({ tenantId: 'a', receiptId: 'a', debits: debits.slice(1) });
  await wallets.consume({ tenantId: 'b', receiptId: 'b', debits, idempotencyKey: 'b' });
  await wallets.unconsume({ id: 'a', tenantId: 'a', entries: debits });
  await wallets.credit('a', debits);
  await wallets.readMany(debits.map((debit) => ({ tenantId: 'a', ...debit })));
  await wallets.prune({ before: expiresAt, limit: 1 });
  await users.setPassword(user, 'a');
  await users.startReclaim(user);
  await users.listUnfinished({ after: null, limit: 1 });
  await users.proveEmail(user, 'b@example.com');
  const account = { userId: user, provider: 'a', providerId: 'a', email: null };
  await oauthAccounts.link(account);
  await oauthAccounts.findUserId('a', 'a');
  await oauthAccounts.list(user);
  await oauthAccounts.unlink(user, 'b');
  await oauthAccounts.link({ ...account, provider: 'b' });
  await oauthAccounts.unlink(user, 'b');
  await oauthAccounts.removeAll(user);
  await users.startDeletion(user);
  await users.delete(user);
  await callGroups(stores);
  await callLive(stores);
  const [task, project, other] = [toResource('task'), toResource('project'), toResource('other')];
  const assignment = { userId: user, resource: task, role: 'editor' };
  await roleAssignments.assign(assignment);
  await roleAssignments.listByUser(user);
  await roleAssignments.listByGroup('a');
  await roleAssignments.listAssigned(user, [{ type: 'task', role: 'editor' }]);
  await roleAssignments.listByResource(task);
  await hierarchy.attach({ child: task, parent: project });
  await hierarchy.move(task, { from: project, to: other });
  await roleAssignments.readPaths(user, [task]);
  await roleAssignments.readPaths(user, [task, project]);
  await roleAssignments.readPaths(user, [task, { ...project, type: 'project' }]);
  await roleAssignments.findKinds(user, [{ type: 'task', role: 'editor' }]);
  for (const inheritance of [[], [{ parent: { type: 'other', role: 'a' }, child: { type: 'task', role: 'editor' } }]]) {
    const where = granted('id', { userId: user, type: 'task', roles: ['editor'], inheritance });
    const order = [{ column: 'id', direction: 'asc' }] as const;
    await entities.list('tasks', { where, order, after: null, limit: 1 });
    for (const after of [null, 'a']) {
      const roles = { roles: ['editor'], inheritance };
      await roleAssignments.listGranted({ userId: user, type: 'task', ...roles }, { after, limit: 1 });
      await roleAssignments.listGrantees({ resource: task, ...roles }, { after, limit: 1 });
    }
  }
  const caller = { userId: user, tenant: task };
  await tenantSnapshots?.read({ ...caller, flags: [], limits: [] });
  await tenantSnapshots?.read({ ...caller, flags: ['beta'], limits: ['tasks', 'exports'] });
  await roleAssignments.revoke(assignment);
  await roleAssignments.listGrantedBy(user, 1);
  for (const isBelow of [false, true])
    await roleAssignments.listOthers(user, { resources: [project], isBelow, limit: 1 });
  for (const role of [{}, { role: 'editor' }])
    await roleAssignments.listOfType(user, { type: 'task', ...role, limit: 1 });
  await roleAssignments.listWithin(project, { userId: user, limit: 1 });
  await roleAssignments.listWithin(project, { grantedBy: user, limit: 1 });
  await roleAssignments.listBelow(project, { after: null, limit: 1 });
  await hierarchy.ancestors(task);
  await hierarchy.descendants(project);
  await hierarchy.hasPath(project, task);
  await hierarchy.detach({ child: task, parent: other });
  await hierarchy.removeSubtree(project);
  for (const tenantId of [null, 'a']) {
    await flags.set({ tenantId, name: 'beta' }, true);
    await flags.readMany([{ tenantId, name: 'beta' }]);
    await flags.set({ tenantId, name: 'beta' }, null);
  }
}

function toResource(id: string): Resource {
  return { type: id, id };
}

async function callGroups({ groups }: ReturnType<typeof createSqlStores>): Promise<void> {
  const [member, nested] = [
    { tenantId: 'a', groupId: 'low', member: { userId: user } },
    { tenantId: 'a', groupId: 'high', member: { groupId: 'low' } },
  ];
  for (const membership of [member, nested]) await groups.add(membership);
  await groups.listGroups(member.member);
  for (const after of [null, 'user:a']) await groups.listMembers('low', { limit: 1, after });
  await groups.remove(nested);
  await groups.add(nested);
  await groups.leaveTenant(user, 'a');
  for (const groupId of ['low', 'high']) await groups.delete({ tenantId: 'a', groupId });
}

async function callLive({ changes, liveStreams }: Stores): Promise<void> {
  const [stream, terms] = [
    { id: 'a', userId: user },
    { until: new Date('2027-01-01T00:00:00.000Z'), atMost: 1 },
  ];
  await liveStreams.open(stream, terms);
  await liveStreams.renew(['a'], terms.until);
  await liveStreams.exists(stream);
  await liveStreams.subscribe(stream, { id: 'a', query: {} }, terms);
  await liveStreams.listSubscriptions('a');
  await liveStreams.unsubscribe(stream, 'a');
  await liveStreams.close('a');
  await liveStreams.prune({ before: terms.until, limit: 1 });
  await changes.append({ entity: 'a', id: 'a', before: null, after: null });
  for (const after of [null, '0.0']) await changes.read(after, 1);
  await changes.prune({ olderThanMs: 0, limit: 1 });
}

async function callMfa({ mfa }: ReturnType<typeof createSqlStores>): Promise<void> {
  await mfa.startSetup({ userId: user, secret: 'a', expiresAt: new Date('2027-01-01T00:00:00.000Z') });
  await mfa.findPending(user);
  await mfa.enable(user, { secret: 'a', step: 1, backupCodeHashes: ['a'] });
  await mfa.find(user);
  await mfa.acceptStep(user, { secret: 'a', step: 2, lockedAt: 100 });
  await mfa.countWrongCode(user);
  await mfa.replaceSecret(user, { expected: 'a', next: 'b' });
  await mfa.listSecrets({ after: user, limit: 10 });
  await mfa.consumeBackupCode(user, 'a');
  await mfa.replaceBackupCodes(user, ['a']);
  await mfa.remove(user);
}
