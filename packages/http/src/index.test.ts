import { expect, it } from 'vitest';
import * as http from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(http).sort()).toMatchInlineSnapshot(`
    [
      "completeResponse",
      "createClientAddress",
      "createCsrfPolicy",
      "createResponseContext",
      "csrf",
      "defaultBodyLimit",
      "errorHandler",
      "handleNotFound",
      "matchesEntityTag",
      "readJson",
      "readNothing",
      "readOptionalJson",
      "renderCompressible",
      "renderError",
      "renderJson",
      "renderMethodNotAllowed",
      "requestIdOf",
      "requestPath",
      "requireBodyWithin",
      "responseHeaders",
      "securityHeaders",
      "sendsAppCookie",
      "setResponseContext",
      "transportSecurity",
    ]
  `);
});
