import { CodedError, type Logger } from '@x/errors';
import { storeUnavailable, type UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { AuthorizationError } from '../outcome/authorization-error.ts';
import { tracker } from '../testing/tracker.ts';
import { type AccessContext, createAccessContext } from './access-context.ts';
import type { AccessStores } from '../reads/access-reads.ts';
import { computeEntityAccess } from './compute-entity-access.ts';

const stores = createMemoryStores({ clock: { now: () => new Date(0) } });
const project = { type: 'project', id: 'p' };
await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: project, role: 'manager' });
await stores.flags.set({ tenantId: null, name: 'beta' }, true);
await stores.flags.set({ tenantId: null, name: 'gamma' }, true);

const healthy: AccessStores = {
  roleStore: stores.roleAssignments,
  closureStore: stores.hierarchy,
  flagStore: stores.flags,
  orgResolver: () => 'o',
};

const unavailable = async (): Promise<never> => {
  throw storeUnavailable();
};

const broken = (): never => {
  throw new TypeError('broken');
};

const nothing = async (): Promise<never> => [] as never;

/** A role store whose every method does the same. */
const everyAnswer = (answer: () => Promise<never>): AccessStores['roleStore'] => ({
  readPaths: answer,
  findKinds: answer,
  listAssigned: answer,
  listGranted: answer,
  listGrantees: answer,
});

interface Failure {
  readonly name: string;
  readonly sources: AccessStores;
  readonly entitlement: string;
  readonly code?: string;
}

const failures: readonly Failure[] = [
  {
    name: 'roles are unavailable',
    entitlement: 'project:read',
    code: 'SERVICE_UNAVAILABLE',
    sources: { ...healthy, roleStore: everyAnswer(unavailable) },
  },
  {
    name: 'the role store is broken',
    entitlement: 'project:read',
    sources: { ...healthy, roleStore: everyAnswer(broken) },
  },
  {
    name: 'the role store answers nothing',
    entitlement: 'project:read',
    sources: { ...healthy, roleStore: everyAnswer(nothing) },
  },
  {
    name: 'flags are unavailable',
    entitlement: 'project:beta',
    code: 'SERVICE_UNAVAILABLE',
    sources: { ...healthy, flagStore: { readMany: unavailable } },
  },
  {
    name: 'the flag store is broken',
    entitlement: 'project:beta',
    sources: { ...healthy, flagStore: { readMany: broken } },
  },
  { name: 'the tenant is not found out', entitlement: 'project:beta', sources: { ...healthy, orgResolver: broken } },
];

function open(sources: AccessStores, errors: unknown[] = []): AccessContext {
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (fields) => void errors.push(fields),
  };
  return createAccessContext({ userId: 'ann', definition: tracker, logger, ...sources });
}

it('allows everything while the stores are healthy', async () => {
  for (const { entitlement } of failures) expect(await open(healthy).can(entitlement, project)).toBe(true);
});

it.for(failures)('denies and logs in `can`, and throws in `authorize`, where $name', async (failure) => {
  const { sources, entitlement, code } = failure;
  const errors: unknown[] = [];
  const access = open(sources, errors);
  expect(await access.can(entitlement, project)).toBe(false);
  expect(errors).toMatchObject([{ entitlement, err: expect.any(Error) as unknown }]);
  const error: unknown = await access.authorize(entitlement, project).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  // It is the store that failed, and not the user who may not.
  expect(error).not.toBeInstanceOf(AuthorizationError);
  expect(error instanceof CodedError ? error.code : undefined).toBe(code);
  await expect(access.check(entitlement, project)).rejects.toThrow(Error);
  await expect(access.explain(entitlement, project)).rejects.toThrow(Error);
  const check = { entitlement, resource: project };
  await expect(access.checkAll([check])).rejects.toThrow(Error);
  await expect(access.records.isAllowed(entitlement, project)).rejects.toThrow(Error);
  await expect(access.records.checkEach([{ entitlements: [entitlement], resource: project }])).rejects.toThrow(Error);
  await expect(computeEntityAccess([entitlement], [project], access)).rejects.toThrow(Error);
  expect((await access.canAll([check])).can(entitlement, project)).toBe(false);
});

it('allows nothing while a store does not respond', async () => {
  const silent = async (): Promise<never> => new Promise<never>(() => {});
  const access = open({ ...healthy, roleStore: everyAnswer(silent) });
  const answers: unknown[] = [];
  const note = (answer: unknown): void => void answers.push(answer);
  void access.can('project:read', project).then(note, note);
  void access.authorize('project:read', project).then(note, note);
  void access.canAll([{ entitlement: 'project:read', resource: project }]).then(note, note);
  void access.checkAll([{ entitlement: 'project:read', resource: project }]).then(note, note);
  await open(healthy).can('project:read', project);
  await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toEqual([]);
});

it('reads again after a failure', async () => {
  let calls = 0;
  const readPaths: AccessStores['roleStore']['readPaths'] = async (...asked) => {
    calls += 1;
    return calls === 1 ? unavailable() : stores.roleAssignments.readPaths(...asked);
  };
  const access = open({ ...healthy, roleStore: { ...everyAnswer(unavailable), readPaths } });
  expect(await access.can('project:read', project)).toBe(false);
  expect(await access.can('project:read', project)).toBe(true);
});
