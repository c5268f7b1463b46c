import { ConfigurationError, isAsyncSchema, type StandardSchema } from '@x/errors';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineModel } from './define-model.ts';
import { field } from './field.ts';
import { createCreateParser } from './record-input.ts';

/** A schema as another library would make it. */
const even: StandardSchema<number> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) =>
      typeof value === 'number' && value % 2 === 0 ? { value } : { issues: [{ message: 'Only even numbers.' }] },
  },
};

it('tells callers the messages of the schemas of an app, and their places', () => {
  const slug = z.string().regex(/^[a-z]+$/, 'Use small letters.');
  const size = z.object({ width: z.number('A width is a number.') });
  const fields = {
    slug: field.text({ schema: slug }),
    pair: field.integer({ schema: even }),
    size: field.json({ schema: size as never }),
  };
  const parse = createCreateParser(defineModel('things', { fields }));
  const refuse = (): unknown => parse({ slug: 'No', pair: 3, size: { width: 'x' } });
  expect(refuse).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      extras: {
        issues: [
          { path: ['slug'], code: 'custom', message: 'Use small letters.' },
          { path: ['pair'], code: 'custom', message: 'Only even numbers.' },
          { path: ['size', 'width'], code: 'custom', message: 'A width is a number.' },
        ],
      },
    }),
  );
  expect(parse({ slug: 'yes', pair: 2, size: { width: 1 } }).values).toMatchObject({ pair: 2 });
});

it('refuses a schema that has to be awaited, where it is declared', () => {
  const free = z.string().refine(async () => false, 'Taken.');
  expect(() => defineModel('things', { fields: { slug: field.text({ schema: free, default: 'a' }) } })).toThrow(
    new ConfigurationError(['things.slug: the schema has to be synchronous: check what takes time in a hook']),
  );
});

it.each([
  ['a refinement', z.object({ name: z.array(z.string().refine(async () => true)) }), true],
  ['a transformation', z.string().transform(async (text) => text), true],
  ['the flag of Valibot', { async: true }, true],
  ['none', z.object({ name: z.array(z.string().refine(() => true)) }), false],
])('finds %s that is async', (_, schema, expected) => {
  expect(isAsyncSchema(schema as StandardSchema)).toBe(expected);
});
