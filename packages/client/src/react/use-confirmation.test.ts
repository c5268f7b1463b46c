import { describe, expect, it, vi } from 'vitest';
import { type Client, createClient } from '../create-client.ts';
import type { ClientResult } from '../index.ts';
import { FakeSite, goodCode, goodPassword } from '../testing/fake-site.ts';
import { passTimeUntil, useFakeTime } from '../testing/pass-time.ts';
import { type Confirmation, createConfirmation, type ProofRequest } from './use-confirmation.ts';

useFakeTime();

const setup = '/api/auth/mfa/setup';

describe('a call that needs a fresh proof', () => {
  it('is made once, without asking the user, while the last proof is recent', async () => {
    const { site, client, shown, confirmation } = await signedIn({ secondsAgo: 0 });
    const result = await passTimeUntil(confirmation().withProof(() => client.auth.mfa.setup()));
    expect([result.ok, site.count(setup), shown]).toEqual([true, 1, [null]]);
  });

  it('waits for the proof, is made again, and then has its result', async () => {
    const { site, client, confirmation } = await signedIn();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    const { methods, submit } = await asked(confirmation);
    expect(methods).toEqual(['password', 'provider']);
    expect(await passTimeUntil(submit({ password: goodPassword }))).toMatchObject({ ok: true });
    expect(await passTimeUntil(call)).toMatchObject({ ok: true, data: { for: 'ada' } });
    expect([site.count(setup), confirmation().proofRequest]).toEqual([2, null]);
  });

  it('keeps waiting after a wrong proof, whose error `submit` returns', async () => {
    const { client, confirmation } = await signedIn();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    const request = await asked(confirmation);
    const wrong = await passTimeUntil(request.submit({ password: 'another horse battery' }));
    expect(codeOf(wrong)).toBe('INVALID_CREDENTIALS');
    expect(confirmation().proofRequest).toBe(request);
    await passTimeUntil(request.submit({ password: goodPassword }));
    expect(await passTimeUntil(call)).toMatchObject({ ok: true });
  });

  it('has its first refusal as its result where the user cancels, and is not made again', async () => {
    const { site, client, confirmation } = await signedIn();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    const request = await asked(confirmation);
    request.cancel();
    expect(await call).toMatchObject({ ok: false, error: { code: 'STEP_UP_REQUIRED', meta: { maxAge: 300 } } });
    expect([site.count(setup), confirmation().proofRequest]).toEqual([1, null]);
  });

  it('shares its request for a proof with the others that wait', async () => {
    const { site, client, shown, confirmation } = await signedIn();
    const calls = [1, 2, 3].map(() => confirmation().withProof(() => client.auth.mfa.setup()));
    await passTimeUntil((await asked(confirmation)).submit({ password: goodPassword }));
    const results = await passTimeUntil(Promise.all(calls));
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect([shown.filter((request) => request !== null).length, site.count('/api/auth/confirm')]).toEqual([1, 1]);
  });

  it('is refused with the others that wait where the user cancels, and may ask again later', async () => {
    const { client, confirmation } = await signedIn();
    const calls = [1, 2].map(() => confirmation().withProof(() => client.auth.mfa.setup()));
    const cancelled = await asked(confirmation);
    cancelled.cancel();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['STEP_UP_REQUIRED', 'STEP_UP_REQUIRED']);

    const call = confirmation().withProof(() => client.auth.mfa.setup());
    const request = await asked(confirmation);
    // A dialog that closes late cancels only its own request.
    cancelled.cancel();
    await passTimeUntil(request.submit({ password: goodPassword }));
    expect(await passTimeUntil(call)).toMatchObject({ ok: true });
  });

  it('asks again where the proof is too old once it arrives', async () => {
    const { client, confirmation } = await signedIn();
    const refusals = [refused, refused, refused];
    const call = confirmation().withProof(async () => refusals.pop() ?? (await client.auth.mfa.setup()));
    for (let proofs = 0; proofs < 3; proofs++)
      await passTimeUntil((await asked(confirmation)).submit({ password: goodPassword }));
    expect(await passTimeUntil(call)).toMatchObject({ ok: true });
  });

  it('passes any other outcome on', async () => {
    const { shown, client, confirmation } = await signedIn();
    expect(await confirmation().withProof(async () => ({ ok: true, value: 1, data: 1 }))).toMatchObject({ data: 1 });
    const wrong = client.auth.confirm({ password: 'another horse battery' });
    expect(codeOf(await passTimeUntil(confirmation().withProof(() => wrong)))).toBe('INVALID_CREDENTIALS');
    expect(shown).toEqual([null]);
  });
});

describe('a call that a rule refuses', () => {
  it('asks for a code of the second factor, which steps the session up', async () => {
    const { site, client, confirmation } = await signedIn();
    const call = confirmation().withProof(() => client.entities.vault.list());
    const { methods, submit } = await asked(confirmation);
    expect(methods).toEqual(['code']);
    expect(codeOf(await passTimeUntil(submit({ code: '000000' })))).toBe('MFA_INVALID_CODE');
    expect(await passTimeUntil(submit({ code: goodCode }))).toMatchObject({ ok: true, data: { user: { id: 'ada' } } });
    expect(await passTimeUntil(call)).toMatchObject({ ok: true });
    expect([site.count('/api/auth/mfa/step-up'), site.count('/api/auth/confirm')]).toEqual([2, 0]);
  });

  it.each([
    ['has no second factor', false],
    ['can have none, since the site offers none', null],
  ])('is refused at once, without asking for a code, where the user %s', async (_, secondFactor) => {
    const { site, client, shown, confirmation } = await signedIn();
    site.settings.secondFactor = secondFactor;
    const calls = [1, 2].map(() => confirmation().withProof(() => client.entities.vault.list()));
    const results = await passTimeUntil(Promise.all(calls));
    expect(results.map(codeOf)).toEqual(['STEP_UP_REQUIRED', 'STEP_UP_REQUIRED']);
    expect([shown.filter((request) => request !== null), site.count('/api/auth/mfa/status')]).toEqual([[], 1]);
  });

  it('asks for a code where it is unknown whether the user has a second factor', async () => {
    const { site, client, confirmation } = await signedIn();
    site.settings.fault = (path) => (path === '/api/auth/mfa/status' ? 'refused503' : 'none');
    const call = confirmation().withProof(() => client.entities.vault.list());
    const { submit } = await asked(confirmation);
    await passTimeUntil(submit({ code: goodCode }));
    expect(await passTimeUntil(call)).toMatchObject({ ok: true });
  });

  it('asks for no code once the component is gone', async () => {
    const { site, client, shown, confirmation, unmount } = await signedIn();
    const call = confirmation().withProof(() => client.entities.vault.list());
    while (site.count('/api/auth/mfa/status') === 0) await vi.advanceTimersByTimeAsync(1);
    unmount();
    expect(codeOf(await call)).toBe('STEP_UP_REQUIRED');
    await vi.advanceTimersByTimeAsync(1000);
    expect(shown.filter((request) => request !== null)).toEqual([]);
  });

  it('is satisfied by no other proof that it waited for: it asks for its own', async () => {
    const { client, confirmation } = await signedIn();
    const first = confirmation().withProof(() => client.auth.mfa.setup());
    const second = confirmation().withProof(() => client.entities.vault.list());
    await passTimeUntil((await asked(confirmation)).submit({ password: goodPassword }));
    expect(await passTimeUntil(first)).toMatchObject({ ok: true });
    const { methods, submit } = await asked(confirmation);
    expect(methods).toEqual(['code']);
    await passTimeUntil(submit({ code: goodCode }));
    expect(await passTimeUntil(second)).toMatchObject({ ok: true });
  });
});

describe('a proof', () => {
  it('is for the user who was refused: the call is not made for the one who signs in meanwhile', async () => {
    const { site, client, confirmation } = await signedIn();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    const { submit } = await asked(confirmation);
    await passTimeUntil(client.auth.signIn({ email: 'grace', password: goodPassword }));
    await passTimeUntil(submit({ password: goodPassword }));
    expect(codeOf(await passTimeUntil(call))).toBe('STEP_UP_REQUIRED');
    expect(site.count(setup)).toBe(1);
  });

  it('is not requested after the component is gone, and calls that waited for one are refused', async () => {
    const { client, shown, confirmation, unmount } = await signedIn();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    await asked(confirmation);
    unmount();
    expect(codeOf(await call)).toBe('STEP_UP_REQUIRED');
    expect(shown.at(-1)).toBe(null);
    const late = confirmation().withProof(() => client.auth.mfa.setup());
    expect(codeOf(await passTimeUntil(late))).toBe('STEP_UP_REQUIRED');
    expect(shown).toEqual([null, expect.anything(), null]);
  });

  it('is asked for again in a component that comes back, as every one does in strict mode', async () => {
    const { client, confirmation, mount, unmount } = await signedIn();
    unmount();
    mount();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    await passTimeUntil((await asked(confirmation)).submit({ password: goodPassword }));
    expect(await passTimeUntil(call)).toMatchObject({ ok: true });
  });

  it('is of no use to a session whose refresh token is gone: that is said, and the user stays signed in', async () => {
    const { site, client, confirmation } = await signedIn();
    const call = confirmation().withProof(() => client.auth.mfa.setup());
    const { submit, cancel } = await asked(confirmation);
    site.loseRefreshToken();
    expect(codeOf(await passTimeUntil(submit({ password: goodPassword })))).toBe('SESSION_EXPIRED');
    cancel();
    expect(codeOf(await call)).toBe('STEP_UP_REQUIRED');
    expect([site.count('/api/auth/confirm'), site.count('/api/auth/refresh', 'unauthenticated')]).toEqual([1, 0]);
    expect(client.session.getSnapshot().status).toBe('signedIn');
  });
});

/** A page where `ada` signed in, some time ago, and the requests for a proof that it has shown since. */
async function signedIn({ secondsAgo = 301 } = {}) {
  const site = new FakeSite();
  site.settings.ttl = 3_600_000;
  const client = createClient({ baseUrl: 'https://app.example', fetch: site.fetch }) as unknown as FakeClient;
  await passTimeUntil(client.auth.signIn({ email: 'ada', password: goodPassword }));
  await vi.advanceTimersByTimeAsync(secondsAgo * 1000);
  const store = createConfirmation(client);
  const shown: (ProofRequest | null)[] = [];
  let unmount = (): void => {};
  const mount = (): void => {
    unmount = store.subscribe(({ proofRequest }) => shown.push(proofRequest));
  };
  mount();
  return { site, client, shown, confirmation: store.getSnapshot, mount, unmount: () => unmount() };
}

/** The client of a site with an entity for the second factor only. */
interface FakeClient extends Omit<Client, 'entities'> {
  readonly entities: { readonly vault: { readonly list: () => Promise<ClientResult<unknown>> } };
}

/** Waits until the user is asked for a proof. */
async function asked(confirmation: () => Confirmation): Promise<ProofRequest> {
  for (let waits = 0; waits < 100; waits++) {
    const { proofRequest } = confirmation();
    if (proofRequest) return proofRequest;
    await vi.advanceTimersByTimeAsync(10);
  }
  throw new Error('The user was not asked.');
}

function codeOf(result: ClientResult<unknown>): string | undefined {
  return result.ok ? undefined : result.error.code;
}

const refused: ClientResult<never> = {
  ok: false,
  error: { code: 'STEP_UP_REQUIRED', message: 'No.', meta: { maxAge: 300, methods: ['password'] } },
};
