import { createCsrfPolicy, csrf, serveContent } from '../../../packages/http/src/index.ts';
import { createOpenApiDocument, createOpenApiDocumentInSteps } from '../../../packages/openapi/src/index.ts';
import { createDatabaseClock, createServer } from '../../../packages/server/src/index.ts';
import { listen } from '../../../packages/server/src/node.ts';
import { systemClock } from '../../../packages/store/src/index.ts';
import { authPorts, authSettings } from './auth-settings.ts';
import { run, type Samples } from './sample.ts';

const info = { title: 'A', version: '1', description: 'A', license: { name: 'A', identifier: 'A', url: 'A' } };

/** Those of the server and of what only it uses, by package. */
export const serverSamples: Readonly<Record<'http' | 'openapi' | 'server', Samples>> = {
  http: {
    createCsrfPolicy: { options: { baseUrl: 'a', trustedOrigins: [], production: true }, call: createCsrfPolicy },
    csrf: { options: { ownOrigin: 'a', trustedOrigins: run, allowLoopback: true }, call: csrf },
    serveContent: { options: { type: 'a', headers: [], read: run }, call: serveContent },
  },
  openapi: {
    createOpenApiDocument: {
      options: { entities: [], services: [], auth: undefined, info, serverUrl: '/' },
      call: createOpenApiDocument,
    },
    createOpenApiDocumentInSteps: {
      options: { entities: [], services: [], auth: undefined, info, serverUrl: '/' },
      call: (options) => createOpenApiDocumentInSteps(options).next(),
    },
  },
  server: {
    createServer: {
      options: {
        database: undefined,
        auth: authSettings,
        access: { definition: run, orgResolver: run },
        entities: [],
        organizations: undefined,
        services: [],
        logger: undefined,
        bodyLimit: 1,
        openapi: info,
      },
      call: createServer,
    },
    'createServer.auth': {
      options: { ...authSettings, ...authPorts, userFields: [] },
      call: (settings) => createServer({ auth: settings }),
    },
    createDatabaseClock: { options: { processClock: systemClock }, call: createDatabaseClock },
    listen: { options: { port: 0, hostname: 'a' }, call: (options) => listen([] as never, options) },
  },
};
