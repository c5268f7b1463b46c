import { expect, it } from 'vitest';
import * as http from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(http).sort()).toMatchInlineSnapshot(`
    [
      "completeResponse",
      "compressOnce",
      "createClientAddress",
      "createCsrfPolicy",
      "createResponseContext",
      "csrf",
      "defaultBodyLimit",
      "errorHandler",
      "handleNotFound",
      "hasBody",
      "hashContent",
      "immutable",
      "matchesEntityTag",
      "readForm",
      "readJson",
      "readNothing",
      "readOptionalJson",
      "readParameters",
      "refuseHead",
      "refusesHead",
      "renderError",
      "renderJson",
      "renderMethodNotAllowed",
      "requestIdOf",
      "requestPath",
      "requireBodyWithin",
      "requireNoParameters",
      "requirePlainParameters",
      "responseHeaders",
      "securityHeaders",
      "sendsAppCookie",
      "serveContent",
      "setResponseContext",
      "transportSecurity",
    ]
  `);
});
