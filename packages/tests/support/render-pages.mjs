// Renders pages at once with one refresh token, in a process of its own, and prints what they got.
import { createServer } from '@x/server';
import { createPostgresStores } from '@x/store-postgres';
import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';

const { url, developmentKeysPath, token, times } = JSON.parse(process.argv[2] ?? '{}');
const server = await createServer({
  database: createPostgresStores({ patience: patient, url, clock: { now: () => new Date() } }),
  logger: false,
  auth: {
    production: false,
    developmentKeysPath,
    session: { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath: '/' } },
  },
});
await awaitSignal();
const headers = new Headers({ cookie: `app.ref=${token}` });
const pages = await Promise.all(Array.from({ length: times }, () => server.auth.api.getOrRefreshSession(headers)));
const emails = new Set(pages.map((page) => page.data?.session?.user.email ?? page.error?.code ?? null));
const successors = new Set(pages.map((page) => /^app\.ref=([^;]+)/.exec(page.data?.setCookie.at(-1) ?? '')?.[1]));
process.stdout.write(JSON.stringify({ emails: [...emails], successors: [...successors] }));
await server.close();
