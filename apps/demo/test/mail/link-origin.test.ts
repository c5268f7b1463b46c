import { expect, it } from 'vitest';
import { toLinkOrigin } from '../../src/mail/message.ts';

it.each([
  ['http://localhost:0', 'http://localhost:49152'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['https://tracker.example', 'https://tracker.example'],
  ['https://tracker.example:8443/', 'https://tracker.example:8443'],
])('starts links of %s with %s on port 49152', (baseUrl, origin) => {
  expect(toLinkOrigin(baseUrl, 49_152)).toBe(origin);
});
