import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Returns the page of the browsable reference, which loads scripts from paths relative to its own. */
export const createReferencePage = (scripts: {
  readonly scalar: string;
  readonly start: string;
}): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <script src="${scripts.scalar}"></script>
    <script src="${scripts.start}"></script>
  </body>
</html>
`;

/** The colours of texts, each with a contrast of 4.5 to 1 on the grounds that Scalar puts it on. */
const colours = `
  .light-mode {
    --scalar-color-2: #555b6e;
    --scalar-color-3: #5f6577;
    --scalar-color-green: #006b44;
    --scalar-color-red: #b8150d;
    --scalar-color-blue: #005ea8;
    --scalar-color-orange: #a33c00;
  }
  .dark-mode {
    --scalar-color-2: #b4b9ca;
    --scalar-color-3: #a0a6ba;
    --scalar-color-red: #ff7b72;
  }
`;

/** Starts Scalar with the document of this server, and without any request to third parties. */
export const startScript: string = `Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  customCss: ${JSON.stringify(colours)},
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // The proof of the page is both a parameter and a credential, and Scalar would send it twice.
  onRequestBuilt: ({ request }) => {
    if (request.headers.has('X-APP-Request')) request.headers.set('X-APP-Request', '1');
  },
});
// Its buttons that copy a code have no name, and the keyboard does not reach its lists that scroll.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('.scalar-code-copy')) button.ariaLabel = 'Copy';
  for (const list of document.querySelectorAll('.endpoints')) list.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true });
`;

/**
 * The page may only load scripts, styles and data from its own origin. Scalar injects styles, so those may be inline;
 * scripts may not.
 */
export const referencePolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Reads the script of Scalar, which renders the reference, in a content coding: four megabytes become one. For Node and
 * compatible runtimes.
 */
export async function readScalar(coding: 'br' | 'gzip'): Promise<Uint8Array<ArrayBuffer>> {
  // Resolved by the package's name, because this file may have become part of a bundle.
  const folder = new URL('.', import.meta.resolve('@x/openapi/package.json'));
  const built = new URL(coding === 'br' ? 'dist/scalar.js.br' : 'dist/scalar.js.gz', folder);
  return new Uint8Array(await readFile(built).catch(() => compressInstalled(coding, folder)));
}

/** In the repository, which needs no build, the script is compressed as it was installed. */
async function compressInstalled(coding: 'br' | 'gzip', folder: URL): Promise<Buffer> {
  const content = await readFile(new URL('node_modules/@scalar/api-reference/dist/browser/standalone.js', folder));
  if (coding === 'gzip') return promisify(gzip)(content);
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}
