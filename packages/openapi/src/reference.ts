import { readFile } from 'node:fs/promises';

/** The page of the browsable reference. It only loads paths below its own, so it works under any prefix. */
export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <main id="reference"></main>
    <script src="docs/scalar.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** Starts Scalar with the document of this server, and without any request to third parties. */
export const startScript = `Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // The proof of the page is both a parameter and a credential, and Scalar would send it twice.
  onRequestBuilt: ({ request }) => {
    if (request.headers.has('X-APP-Request')) request.headers.set('X-APP-Request', '1');
  },
});
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
 * A build puts it next to its own files. In the repository, which needs no build, it is read from where it was
 * installed.
 */
const built = 'dist/scalar.js';
const installed = 'node_modules/@scalar/api-reference/dist/browser/standalone.js';

/** Reads the script of Scalar, which renders the reference: four megabytes. For Node and compatible runtimes. */
export async function readScalar(): Promise<Uint8Array<ArrayBuffer>> {
  // Resolved by the package's name, because this file may have become part of a bundle.
  const folder = new URL('.', import.meta.resolve('@x/openapi/package.json'));
  const content = await readFile(new URL(built, folder)).catch(() => readFile(new URL(installed, folder)));
  return new Uint8Array(content);
}
