import { expect, it } from 'vitest';
import * as http from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(http).sort()).toMatchInlineSnapshot(`
    [
      "answerHeaders",
      "completeAnswer",
      "createClientAddress",
      "createCsrfPolicy",
      "defaultBodyLimit",
      "errorHandler",
      "handleNotFound",
      "matchesEntityTag",
      "openFrame",
      "readJson",
      "readNothing",
      "readOptionalJson",
      "renderError",
      "renderJson",
      "renderMethodNotAllowed",
      "requestIdOf",
      "requestPath",
      "requireBodyWithin",
      "requireOwnPage",
      "securityHeaders",
      "sendsAppCookie",
      "setFrame",
      "transportSecurity",
    ]
  `);
});
