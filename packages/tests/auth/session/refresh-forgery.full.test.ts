import { createHash, createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { SessionRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { deriveToken, expectSessionExpired, refreshWith, storedSession } from '../../support/refresh-tokens.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const count = process.env['DEEP'] ? 10_000 : 2000;

describe.each(engines)('forged refresh tokens on %s', (engine) => {
  it(`revoke nothing in ${count} attempts, some with the ids of real sessions`, { timeout: 120_000 }, async () => {
    const test = await createTestServer({ engine });
    const sessions = await startSessions(test);
    const elsewhere = await createTestServer({ auth: { secrets: ['a secret of the forger, long enough for that'] } });
    const forged = fc.sample(forgeries({ test, elsewhere, sessions }), { numRuns: count, seed: 7 });
    for (let start = 0; start < count; start += 100) {
      const batch = forged.slice(start, start + 100);
      for (const response of await Promise.all(batch.map((token) => refreshWith(test, token))))
        expectSessionExpired(response);
    }
    for (const { session, token } of sessions) {
      expect(await storedSession(test, token)).toEqual(session);
      const { items } = await test.server.stores.events.listByUser(session.userId, { limit: 100, after: null });
      expect(items.map(({ type }) => type)).not.toContain('refresh_token.reused');
      expect((await refreshWith(test, token)).status).toBe(200);
    }
  });
});

interface Known {
  readonly session: SessionRecord;
  readonly token: string;
}

/** Starts sessions of two users, rotated a few times: only their current tokens are known. */
async function startSessions(test: TestServer): Promise<readonly Known[]> {
  const sessions: Known[] = [];
  for (let index = 0; index < 6; index++) {
    const ada = { email: `user${index % 2}@example.com`, password: 'correct horse battery' };
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    await browser.post('/api/auth/signin', ada);
    for (let rotations = 0; rotations < index; rotations++) await browser.post('/api/auth/refresh');
    const token = browser.cookies.get('app.ref')!;
    sessions.push({ token, session: await storedSession(test, token) });
  }
  return sessions;
}

interface Loot {
  readonly test: TestServer;
  /** A server with another secret. */
  readonly elsewhere: TestServer;
  readonly sessions: readonly Known[];
}

/** Makes tokens of all that a forger may know: tokens of other sessions, ids, even the rows, but not the secret. */
function forgeries({ test, elsewhere, sessions }: Loot): fc.Arbitrary<string> {
  const known = fc.constantFrom(...sessions);
  const another = fc.constantFrom(...sessions);
  const bytes = (length: number): fc.Arbitrary<Buffer> =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
  const generation = fc.oneof(fc.nat(8), fc.nat(0xffff_ffff));
  const made = fc.oneof(
    fc.tuple(known, bytes(32)).map(([{ token }, mac]) => join(parts(token).slice(0, 2), mac)),
    fc.tuple(known, fc.nat(52 * 8 - 1)).map(([{ token }, bit]) => flipBit(token, bit)),
    fc.tuple(known, fc.nat(69)).map(([{ token }, length]) => token.slice(0, length)),
    fc.tuple(known, bytes(3)).map(([{ token }, more]) => token + more.toString('base64url')),
    fc.tuple(known, generation).map(([{ token }, value]) => join([parts(token)[0], uint32(value)], parts(token)[2])),
    fc.tuple(known, another).map(([one, other]) => join([parts(one.token)[0]], ...parts(other.token).slice(1))),
    fc.tuple(known, another).map(([one, other]) => join(parts(one.token).slice(0, 2), parts(other.token)[2])),
    // With the salt of another session, and with the secret of another app.
    fc.tuple(known, another, generation).map(
      ([
        one,
        {
          session: { refreshSalt },
        },
        value,
      ]) => deriveToken(test, { id: one.session.id, refreshSalt }, value),
    ),
    fc.tuple(known, generation).map(([{ session }, value]) => deriveToken(elsewhere, session, value)),
    // With keys that the row gives away.
    fc.tuple(known, fc.constantFrom('', 'salt', 'hash', 'digest')).map(([one, kind]) => signWith(one, kind)),
    // The same bytes in another encoding.
    fc.tuple(known, fc.constantFrom('=', '==', '.', '%3D', '"', '\\')).map(([{ token }, end]) => token + end),
    fc.tuple(known, fc.constantFrom('"', '%', '+', 'v1.')).map(([{ token }, start]) => start + token),
    known.map(({ token }) => strayBits(token)),
    known.map(({ token }) => Buffer.from(token, 'base64url').toString('base64')),
    known.map(({ token }) => Buffer.from(token, 'base64url').toString('hex')),
    known.map(({ token }) => `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`),
    fc.tuple(known, fc.nat(69)).map(([{ token }, index]) => swapCase(token, index)),
    // Other values that look like a secret.
    known.map(({ session }) => session.refreshTokenHash),
    known.map(({ session }) => digestOf(session)),
    known.map(({ session }) => session.refreshSalt),
    known.map(({ session }) => session.id),
    bytes(52).map((all) => all.toString('base64url')),
  );
  const real = new Set(sessions.map(({ token }) => token));
  return made.filter((token) => !real.has(token) && !isGenuine(test, sessions, token));
}

/** Now and then a change of nothing, or of the generation, is none. */
function isGenuine(test: TestServer, sessions: readonly Known[], token: string): boolean {
  const generation = Buffer.from(token, 'base64url').subarray(16, 20);
  if (generation.length < 4) return false;
  return sessions.some(({ session }) => deriveToken(test, session, generation.readUInt32BE()) === token);
}

type Parts = readonly [sessionId: Buffer, generation: Buffer, mac: Buffer];

function parts(token: string): Parts {
  const bytes = Buffer.from(token, 'base64url');
  return [bytes.subarray(0, 16), bytes.subarray(16, 20), bytes.subarray(20)];
}

function join(head: readonly Buffer[], ...rest: readonly Buffer[]): string {
  return Buffer.concat([...head, ...rest]).toString('base64url');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function flipBit(token: string, bit: number): string {
  const bytes = Buffer.from(token, 'base64url');
  bytes[bit >> 3]! ^= 1 << (bit & 7);
  return bytes.toString('base64url');
}

/** 52 bytes leave four bits of the last character unused, which have to be zero. */
function strayBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) + 1 + (randomBytes(1)[0]! % 15)]!;
}

function swapCase(token: string, index: number): string {
  const character = token[index]!;
  const swapped = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
  return token.slice(0, index) + swapped + token.slice(index + 1);
}

function signWith({ session, token }: Known, kind: '' | 'salt' | 'hash' | 'digest'): string {
  const salt = Buffer.from(session.refreshSalt, 'base64url');
  const keys = { '': '', salt, hash: session.refreshTokenHash, digest: digestOf(session) };
  const [id, generation] = parts(token);
  const mac = createHmac('sha256', keys[kind]);
  for (const part of ['app/refresh', id, generation, salt]) mac.update(part);
  return join([id, generation], kind === '' ? createHash('sha256').update(id).digest() : mac.digest());
}

function digestOf({ id, refreshTokenHash }: SessionRecord): string {
  return refreshTokenHash.slice(id.length + 1);
}
