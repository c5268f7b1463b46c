import { expect, it } from 'vitest';
import * as http from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(http).sort()).toMatchInlineSnapshot(`
    [
      "answerHeaders",
      "createClientAddress",
      "createCsrfPolicy",
      "defaultBodyLimit",
      "errorHandler",
      "handleNotFound",
      "readJson",
      "readNothing",
      "renderError",
      "renderJson",
      "renderMethodNotAllowed",
      "requestId",
      "requestIdOf",
      "requestPath",
      "requireBodyWithin",
      "requireOwnPage",
      "securityHeaders",
      "sendsAppCookie",
      "transportSecurity",
    ]
  `);
});
