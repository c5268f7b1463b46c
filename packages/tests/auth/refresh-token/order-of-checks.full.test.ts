import { CodedError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import {
  type Account,
  type AccountOptions,
  createAccount,
  createWholeServer,
  type WholeServer,
} from '../../support/whole-server.ts';

/** A request to be, which faults are added to. */
interface Draft {
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
  /** Sent in place of the body. */
  raw?: string;
  hasJwt: boolean;
  hasRefreshToken: boolean;
  readonly headers: Record<string, string>;
}

/** Whom the request is from. */
interface Caller {
  readonly account: Account;
  readonly test: WholeServer;
  /** Accounts that the app refuses to delete. */
  readonly undeletable: Set<string>;
}

/** One thing that is wrong, and the answer to that. */
interface Fault {
  readonly code: string;
  readonly add: (draft: Draft, caller: Caller) => unknown;
}

type FaultName = keyof typeof common | 'shape' | 'limit' | 'proof' | 'policy' | 'last';

/** The faults that any request to any route can have. */
const common = {
  path: { code: 'NOT_FOUND', add: (draft) => (draft.path += '/nothing') },
  method: { code: 'METHOD_NOT_ALLOWED', add: (draft) => (draft.method = 'PUT') },
  size: { code: 'PAYLOAD_TOO_LARGE', add: ({ headers }) => (headers['content-length'] = '262145') },
  page: { code: 'CSRF_FAILED', add: ({ headers }) => (headers['origin'] = 'https://evil.example') },
  type: { code: 'UNSUPPORTED_MEDIA_TYPE', add: addWrongType },
  json: { code: 'INVALID_JSON', add: (draft) => (draft.raw = '{"a":') },
  session: { code: 'UNAUTHENTICATED', add: (draft) => (draft.hasJwt = false) },
  'session token': { code: 'SESSION_EXPIRED', add: (draft) => (draft.hasRefreshToken = false) },
} satisfies Readonly<Record<string, Fault>>;

/**
 * The order of the contract. A route that takes no input looks at a body only after the session and its refresh token.
 */
const order: readonly FaultName[] = [
  ...(['path', 'method', 'size', 'page', 'type', 'json', 'session', 'session token'] as const),
  ...(['shape', 'limit', 'proof', 'policy', 'last'] as const),
];

const orderWithoutInput: readonly FaultName[] = [
  ...(['path', 'method', 'size', 'page', 'session', 'session token', 'type', 'json'] as const),
  ...(['shape', 'limit', 'proof', 'policy', 'last'] as const),
];

/** A route, a request that it would accept, and the further faults that this can have. */
interface Route {
  readonly takesNothing?: true;
  readonly body?: (account: Account) => Record<string, unknown>;
  readonly account?: AccountOptions;
  readonly faults: Readonly<Partial<Record<FaultName, Fault>>>;
}

const newPassword = 'another horse battery';
const withFactor = { account: { hasFactor: true }, body: ({ code }: Account) => ({ code: code() }) } as const;
const email = (): Record<string, unknown> => ({ email: `${crypto.randomUUID()}@example.com` });

const staleness: Fault = {
  code: 'STEP_UP_REQUIRED',
  add: (_draft, { test: { clock } }) => clock.advance(301_000),
};

const codeShape: Fault = { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { code: 1 }) };
const anyShape: Fault = { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { nobody: 'asked for this' }) };
const wrongCode: Fault = {
  code: 'MFA_INVALID_CODE',
  add: (draft, { account }) => (draft.body = { code: account.wrongCode() }),
};
const usedUp = (limit: string): Fault => ({ code: 'RATE_LIMITED', add: (_draft, caller) => useUp(caller, limit) });

/**
 * With a password in the body, which counts; where a factor is on it proves nothing, so the session has to be fresh.
 */
const countedProof: Fault = {
  code: 'RATE_LIMITED',
  async add(draft, caller) {
    draft.body = { ...draft.body, password: caller.account.password };
    await useUp(caller, 'proof');
  },
};

/** The routes that require the session's refresh token; the last fault of each is what only it checks. */
const routes: Readonly<Record<string, Route>> = {
  'POST /switch-tenant': {
    body: () => ({ tenantId: 'two' }),
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { tenantId: 2 }) },
      limit: usedUp('switchTenant'),
      last: { code: 'FORBIDDEN', add: (draft) => setText(draft, 'tenantId', 'three') },
    },
  },
  'POST /confirm': {
    body: ({ password }) => ({ password }),
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = {}) },
      limit: usedUp('confirm'),
      last: { code: 'INVALID_CREDENTIALS', add: (draft) => setText(draft, 'password', 'a wrong password') },
    },
  },
  'POST /confirm, where a factor is on': {
    account: { hasFactor: true },
    body: ({ code }) => ({ code: code() }),
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { code: 1 }) },
      limit: usedUp('confirm'),
      proof: {
        code: 'STEP_UP_REQUIRED',
        add: (draft, { account }) => (draft.body = { password: account.password }),
      },
    },
  },
  'POST /change-password': {
    body: ({ password }) => ({ currentPassword: password, newPassword }),
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { ...draft.body, nobody: 1 }) },
      limit: usedUp('proof'),
      policy: { code: 'VALIDATION_FAILED', add: (draft) => setText(draft, 'newPassword', 'short') },
      last: { code: 'INVALID_CREDENTIALS', add: (draft) => setText(draft, 'currentPassword', 'a wrong password') },
    },
  },
  'POST /change-password, the first': {
    account: { hasPassword: false },
    body: () => ({ newPassword }),
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { ...draft.body, nobody: 1 }) },
      proof: staleness,
      policy: { code: 'VALIDATION_FAILED', add: (draft) => setText(draft, 'newPassword', 'short') },
    },
  },
  'POST /change-email': {
    account: { hasFactor: true },
    body: email,
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { ...draft.body, email: 'no address' }) },
      limit: countedProof,
      proof: staleness,
    },
  },
  'DELETE /account': {
    account: { hasFactor: true },
    faults: {
      shape: anyShape,
      limit: countedProof,
      proof: staleness,
      last: { code: 'CONFLICT', add: (_draft, { account, undeletable }) => undeletable.add(account.userId) },
    },
  },
  'POST /oauth/discord/link': {
    faults: {
      shape: { code: 'VALIDATION_FAILED', add: (draft) => (draft.body = { redirectTo: 1 }) },
      proof: staleness,
    },
  },
  'DELETE /oauth-accounts/google': { takesNothing: true, faults: { shape: anyShape, proof: staleness } },
  'DELETE /oauth-accounts/discord': {
    takesNothing: true,
    faults: { shape: anyShape, proof: staleness, last: { code: 'NOT_FOUND', add: () => {} } },
  },
  'POST /mfa/setup': { takesNothing: true, faults: { shape: anyShape, proof: staleness } },
  'POST /mfa/setup, where a factor is on': {
    takesNothing: true,
    account: { hasFactor: true },
    faults: { shape: anyShape, proof: staleness, last: { code: 'MFA_ALREADY_ENABLED', add: () => {} } },
  },
  'POST /mfa/verify-setup': {
    body: () => ({ code: '123456' }),
    faults: { shape: codeShape, proof: staleness, last: { code: 'MFA_NOT_ENABLED', add: () => {} } },
  },
  'POST /mfa/step-up': { ...withFactor, faults: { shape: codeShape, limit: usedUp('proof'), last: wrongCode } },
  'POST /mfa/disable': { ...withFactor, faults: { shape: codeShape, limit: usedUp('proof'), last: wrongCode } },
  'POST /mfa/backup-codes': { ...withFactor, faults: { shape: codeShape, limit: usedUp('proof'), last: wrongCode } },
};

describe.each(Object.entries(routes))('%s', (title, route) => {
  it('answers whichever of two faults is checked first', async () => {
    const undeletable = new Set<string>();
    const test = await createWholeServer({
      auth: {
        beforeUserDelete({ id }) {
          if (undeletable.has(id)) throw new CodedError('CONFLICT', 'Not now.');
        },
      },
    });
    const faults = faultsOf(route);
    const seen: string[] = [];
    const expected: string[] = [];
    for (const [index, [earlier, first]] of faults.entries()) {
      for (const [later, second] of [['nothing', null] as const, ...faults.slice(index + 1)]) {
        const caller = { account: await createFresh(test, route), test, undeletable };
        const draft = createDraft(title, route, caller);
        // The later one first: where both are in the body, the earlier one stays.
        await second?.add(draft, caller);
        await first.add(draft, caller);
        seen.push(`${earlier}, ${later}: ${refusalOf(await send(draft, caller))}`);
        expected.push(`${earlier}, ${later}: ${first.code}`);
      }
    }
    expect(seen).toEqual(expected);
  });
});

function faultsOf({ takesNothing, faults }: Route): readonly (readonly [FaultName, Fault])[] {
  const all: Readonly<Partial<Record<FaultName, Fault>>> = { ...common, ...faults };
  return (takesNothing ? orderWithoutInput : order).flatMap((name) => {
    const fault = all[name];
    return fault ? [[name, fault] as const] : [];
  });
}

/** Signs up an account whose session is fresh, where a factor is on by a code. */
async function createFresh(test: WholeServer, route: Route): Promise<Account> {
  const account = await createAccount(test, route.account);
  if (route.account?.hasFactor) await test.server.stores.sessions.setAuthenticated(account.sessionId, 'code');
  return account;
}

function createDraft(title: string, { body }: Route, { account }: Caller): Draft {
  const [method = '', path = ''] = (title.split(',')[0] ?? '').split(' ');
  const sent = { body: body?.(account), hasJwt: true, hasRefreshToken: true };
  return { method, path, ...sent, headers: {} };
}

function send(draft: Draft, { account, test }: Caller): ReturnType<Account['browser']['send']> {
  const browser = test.client();
  const names = [...(draft.hasJwt ? ['app.sid'] : []), ...(draft.hasRefreshToken ? ['app.ref'] : [])];
  for (const name of names) browser.cookies.set(name, account.browser.cookies.get(name) ?? '');
  const { method, headers, body, raw } = draft;
  const content = raw === undefined ? (body === undefined ? {} : { body }) : { raw };
  return browser.send(`/api/auth${draft.path}`, { method, headers, ...content });
}

/** A text of another type, even where the route would take no body. */
function addWrongType(draft: Draft): void {
  draft.headers['content-type'] = 'text/plain';
  draft.raw ??= '{"a":1}';
}

function useUp({ account, test }: Caller, limit: string): Promise<unknown> {
  const { rateLimits } = test.server.stores;
  const tries = Array.from({ length: 31 }, () => rateLimits.check(`${limit}:${account.userId}`, 31, 900_000));
  return Promise.all(tries);
}

/** Replaces a text of the body. */
function setText({ body = {} }: Draft, name: string, text: string): void {
  body[name] = text;
}
