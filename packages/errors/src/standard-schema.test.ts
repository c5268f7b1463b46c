import { expect, it } from 'vitest';
import { isAsyncSchema, type StandardSchema, validateBySchema, withJsonSchema } from './standard-schema.ts';

function schemaOf(validate: StandardSchema['~standard']['validate']): StandardSchema {
  return { '~standard': { version: 1, vendor: 'own', validate } };
}

it('finds a schema that merely returns a promise', () => {
  expect(isAsyncSchema(schemaOf((value) => Promise.resolve({ value })))).toBe(true);
  expect(isAsyncSchema(schemaOf(() => Promise.reject(new Error('down'))))).toBe(true);
  expect(isAsyncSchema(schemaOf((value) => ({ value })))).toBe(false);
});

it('leaves one that throws alone, for another value may be what it expects', () => {
  const length = schemaOf((value) => ({ value: (value as string).length }));
  expect(isAsyncSchema(length)).toBe(false);
  expect(validateBySchema(length, 'four')).toEqual({ value: 4 });
});

it('does not await a promise that only some values lead to', () => {
  const late = schemaOf((value) => (value === undefined ? { issues: [] } : Promise.reject(new Error('down'))));
  expect(isAsyncSchema(late)).toBe(false);
  expect(() => validateBySchema(late, 'x')).toThrow(TypeError);
});

it('describes a schema whose library cannot', () => {
  const { input, output } = withJsonSchema(
    schemaOf((value) => ({ value })),
    { type: 'string' },
  )['~standard'].jsonSchema!;
  expect([input({ target: 'draft-2020-12' }), output({ target: 'draft-2020-12' })]).toEqual([
    { type: 'string' },
    { type: 'string' },
  ]);
});
