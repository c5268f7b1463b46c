import { CodedError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { boundHasher, type PasswordHasher } from './hasher.ts';

const from = { ipAddress: '192.0.2.1' };

describe('boundHasher', () => {
  it('runs no more hashes at a time than the limit', async () => {
    const slow = createSlowHasher();
    const bounded = boundHasher(slow.hasher, { concurrency: 2, maxWaiting: 10 });
    const hashes = Array.from({ length: 6 }, () => bounded.hash('password', from));
    const verifications = Array.from({ length: 6 }, () => bounded.verify('hash', 'password', from));
    expect(await Promise.all(hashes)).toEqual(Array.from({ length: 6 }, () => 'hash of password'));
    expect(await Promise.all(verifications)).toEqual(Array.from({ length: 6 }, () => true));
    expect(slow.mostAtOnce()).toBe(2);
  });

  it('refuses at once when the queue is full, and accepts again when there is room', async () => {
    const bounded = boundHasher(createSlowHasher().hasher, { concurrency: 1, maxWaiting: 2 });
    const accepted = [bounded.hash('1', from), bounded.verify('hash', '2', from), bounded.hash('3', from)];
    const refused = await bounded.verify('hash', '4', from).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CodedError);
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 } });
    await expect(bounded.hash('5', from)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await Promise.all(accepted);
    expect(await bounded.hash('6', from)).toBe('hash of 6');
  });

  it('serves networks, as limits count them, in a fair queue', async () => {
    const bounded = boundHasher(createSlowHasher().hasher, { concurrency: 1, maxWaiting: 3 });
    const hashed: string[] = [];
    const hash = async (ipAddress: string | null): Promise<void> => {
      hashed.push(await bounded.hash(String(ipAddress), { ipAddress }));
    };
    await Promise.all(['2001:db8::1', '2001:db8::2', '2001:db8::3', null].map(hash));
    expect(hashed.map((each) => each.replace('hash of ', ''))).toEqual([
      '2001:db8::1',
      '2001:db8::2',
      'null',
      '2001:db8::3',
    ]);
  });

  it('makes room when a hash fails, and passes the error on', async () => {
    const { hasher } = createSlowHasher();
    const failing = { ...hasher, hash: () => Promise.reject(new Error('out of memory')) };
    const bounded = boundHasher(failing, { concurrency: 1, maxWaiting: 0 });
    await expect(bounded.hash('password', from)).rejects.toThrow('out of memory');
    expect(await bounded.verify('hash', 'password', from)).toBe(true);
  });

  it('passes on the calls that cost nothing', () => {
    const bounded = boundHasher(createSlowHasher().hasher, { concurrency: 1, maxWaiting: 0 });
    expect(bounded.canVerify('old')).toBe(true);
    expect(bounded.canVerify('foreign')).toBe(false);
    expect(bounded.needsRehash('old')).toBe(true);
    expect(bounded.needsRehash('new')).toBe(false);
  });
});

function createSlowHasher(): { hasher: PasswordHasher; mostAtOnce(): number } {
  let running = 0;
  let most = 0;
  const work = async <T>(result: T): Promise<T> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return result;
  };
  const hasher: PasswordHasher = {
    hash: (password) => work(`hash of ${password}`),
    verify: () => work(true),
    canVerify: (hash) => hash !== 'foreign',
    needsRehash: (hash) => hash === 'old',
  };
  return { hasher, mostAtOnce: () => most };
}
