import { createCsrfPolicy, csrf, serveContent } from '@x/http';
import { createOpenApiDocument, createOpenApiDocumentInSteps } from '@x/openapi';
import { createDatabaseClock, createServer } from '@x/server';
import { listen } from '@x/server/node';
import { systemClock } from '@x/store';
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
