import { createConfig, lintFromString } from '@redocly/openapi-core';
import { createOpenApiDocument } from '@x/openapi';
import { expect, it } from 'vitest';
import everything from '../../src/openapi.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';

it('serves the same document as its module exports', async () => {
  const served = await new Browser(await startHere({ OAUTH_MOCK: 'true' })).get('/api/openapi.json');
  expect(JSON.parse(served.text)).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument(everything))));
});

it('satisfies the recommended and the strict rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict', 'spec'] });
  const problems = await lintFromString({ source: JSON.stringify(createOpenApiDocument(everything)), config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('documents the response of every action', () => {
  const document = createOpenApiDocument(everything);
  expect(JSON.stringify(document)).not.toContain('*/*');
  expect(document.paths['/api/projects/{id}/archive']?.post?.responses['200']).toMatchObject({
    content: { 'application/json': { schema: { properties: { archived: { type: 'boolean' } } } } },
  });
  expect(document.paths['/api/projects/{id}/export']?.post?.responses['200']).toMatchObject({
    content: { 'text/csv': {} },
  });
});

it('documents that invitations go to e-mail addresses', () => {
  const { paths } = createOpenApiDocument(everything);
  const inputOf = (path: string): unknown => paths[path]?.post?.requestBody?.content['application/json']?.schema;
  const address = { properties: { email: { type: 'string', format: 'email' } } };
  expect(inputOf('/api/organizations/{id}/invite')).toMatchObject(address);
  expect(inputOf('/api/projects/{id}/share')).toMatchObject({ anyOf: [{}, address] });
});
