import { Hono } from 'hono';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compressOnce, serveContent } from './static-content.ts';

const text = 'A page that stays the same. '.repeat(100);

describe('serveContent', () => {
  it('restores content once, however many clients accept no coding', async () => {
    const content = compressedBefore(0);
    for (let request = 0; request < 3; request += 1) {
      expect(await (await content.app.request('/')).text()).toBe(text);
    }
    expect(content.reads()).toBe(1);
  });

  it('restores content again after a failure', async () => {
    const content = compressedBefore(1);
    content.app.onError((_, c) => c.text('failed', 500));
    expect((await content.app.request('/')).status).toBe(500);
    expect(await (await content.app.request('/')).text()).toBe(text);
  });
});

describe('compressOnce', () => {
  it.each(['br', 'gzip'] as const)('returns the same bytes of %s to all who ask', async (coding) => {
    const read = compressOnce(text);
    const [one, other] = await Promise.all([read(coding), read(coding)]);
    expect(one).toBe(other);
    expect(await read(coding)).toBe(one);
  });
});

/** Serves content whose first reads fail. */
function compressedBefore(failures: number): { readonly app: Hono; readonly reads: () => number } {
  const bytes = new Uint8Array(gzipSync(text));
  let reads = 0;
  const read = async (): Promise<typeof bytes> => {
    reads += 1;
    if (reads <= failures) throw new Error('The disk failed.');
    return bytes;
  };
  const app = new Hono().get('/', serveContent({ type: 'text/plain', headers: {}, read }));
  return { app, reads: () => reads };
}
