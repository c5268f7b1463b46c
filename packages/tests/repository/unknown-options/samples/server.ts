import { createOpenApiDocument, createOpenApiDocumentInSteps } from '@x/openapi';
import { createServer } from '@x/server';
import { createMetrics } from '@x/server/metrics';
import { authPorts, authSettings } from './auth-settings.ts';
import { run, type Samples } from './sample.ts';

const document = { entities: [], services: [], auth: undefined, live: false, info: undefined, serverUrl: '/' };

/** Those of the server and of what only it uses, by package. */
export const serverSamples: Readonly<Record<'openapi' | 'server', Samples>> = {
  openapi: {
    createOpenApiDocument: { options: document, call: createOpenApiDocument },
    createOpenApiDocumentInSteps: {
      options: document,
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
        admission: true,
        openapi: { title: 'A', version: '1', description: 'A', license: undefined },
        metrics: undefined,
      },
      call: createServer,
    },
    createMetrics: { options: { register: undefined }, call: createMetrics },
    'createServer.auth': {
      options: { ...authSettings, ...authPorts, userFields: [] },
      call: (settings) => createServer({ auth: settings }),
    },
  },
};
