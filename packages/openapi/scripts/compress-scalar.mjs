// Puts the script of Scalar next to what was built, compressed: nothing sends it otherwise, and it is large.
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const folder = new URL('..', import.meta.url);
const content = await readFile(new URL('node_modules/@scalar/api-reference/dist/browser/standalone.js', folder));
// 11, the highest, saves another tenth in fifteen times the time, which every build would take.
const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength };
const [br, gz] = await Promise.all([
  promisify(brotliCompress)(content, { params }),
  promisify(gzip)(content, { level: 9 }),
]);
await writeFile(new URL('dist/scalar.js.br', folder), br);
await writeFile(new URL('dist/scalar.js.gz', folder), gz);
