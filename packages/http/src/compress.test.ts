import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compress, contentCodings, decompress, gzipQuickly } from './compress.ts';

const text = 'All happy families are alike. '.repeat(2_000);
const bytes = new TextEncoder().encode(text);

it('compresses content in every coding, and restores what was compressed with gzip', async () => {
  expect(contentCodings).toEqual(['br', 'gzip']);
  const [brotli, gzip] = await Promise.all([compress(bytes, 'br'), compress(bytes, 'gzip')]);
  expect([brotliDecompressSync(brotli).toString(), gunzipSync(gzip).toString()]).toEqual([text, text]);
  expect(brotli.byteLength).toBeLessThan(gzip.byteLength);
  expect(new TextDecoder().decode(await decompress(gzip))).toBe(text);
});

it('compresses two long texts at once, and leaves more as they are until those are done', async () => {
  const [first, second] = [gzipQuickly(text), gzipQuickly(text)];
  expect(await Promise.all([gzipQuickly(text), gzipQuickly(text)])).toEqual([null, null]);
  for (const packed of [await first, await second]) expect(unpack(packed)).toBe(text);
  expect(unpack(await gzipQuickly(text))).toBe(text);
});

it('compresses a short text at once, whatever else is at work', async () => {
  const short = text.slice(0, 5_000);
  const [first, second] = [gzipQuickly(text), gzipQuickly(text)];
  expect(unpack(await gzipQuickly(short))).toBe(short);
  expect([unpack(await first), unpack(await second)]).toEqual([text, text]);
});

function unpack(packed: Uint8Array | null): string {
  return packed === null ? '' : gunzipSync(packed).toString();
}
