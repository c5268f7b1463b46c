import { expect, it } from 'vitest';
import * as http from './index.ts';

it('exports exactly the documented names', () => {
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
      "readLines",
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
      "requireLines",
      "requireNoParameters",
      "requirePlainParameters",
      "requireUtf8Parameters",
      "responseHeaders",
      "securityHeaders",
      "sendsAppCookie",
      "sendsLines",
      "serveContent",
      "setResponseContext",
      "toReadError",
      "transportSecurity",
    ]
  `);
});
