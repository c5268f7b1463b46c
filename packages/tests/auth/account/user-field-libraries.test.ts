import { type StandardSchema, withJsonSchema } from '@x/errors';
import { createServer } from '@x/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';

const good = { email: 'ada@example.com', password: 'correct horse battery' };

// The libraries themselves: Valibot has no JSON Schema of its own, ArkType has.
const userFields = {
  company: {
    schema: withJsonSchema(v.pipe(v.string(), v.trim(), v.minLength(2, 'Two letters at least.')), {
      type: 'string',
      minLength: 2,
    }),
    update: true,
  },
  theme: { schema: v.optional(v.picklist(['light', 'dark']), 'light'), update: true, signUp: true },
  seats: { schema: type('number.integer > 0').or('undefined'), signUp: true },
  note: { schema: v.optional(v.string()), public: false, signUp: true },
} as const;

describe('user fields with schemas of Valibot and ArkType', () => {
  it('accept, convert and refuse values in the words of the library', async () => {
    const { client } = await createTestServer({ engine: 'memory', auth: { userFields } });
    const browser = client();
    const refused = await browser.post('/api/auth/signup', { ...good, company: 'x', seats: 0, theme: 'blue' });
    expect(refusalOf(refused)).toBe('VALIDATION_FAILED');
    expect(refused.body.error.issues).toEqual([
      { path: ['company'], code: 'custom', message: 'Two letters at least.' },
      expect.objectContaining({ path: ['theme'], code: 'custom' }),
      expect.objectContaining({ path: ['seats'], code: 'custom' }),
    ]);
    const missing = await browser.post('/api/auth/signup', good);
    expect(missing.body.error.issues).toEqual([expect.objectContaining({ path: ['company'] })]);

    const signedUp = await browser.post('/api/auth/signup', { ...good, company: ' Engine ', note: 'secret' });
    expect(signedUp).toMatchObject({ status: 201, body: { user: { company: 'Engine', theme: 'light' } } });
    expect(Object.keys(signedUp.body.user)).not.toContain('note');

    const changed = await browser.send('/api/auth/user', { method: 'PATCH', body: { theme: 'dark' } });
    expect(changed).toMatchObject({ status: 200, body: { user: { company: 'Engine', theme: 'dark' } } });
    const unknown = await browser.send('/api/auth/user', { method: 'PATCH', body: { seats: 3 } });
    expect(refusalOf(unknown)).toBe('VALIDATION_FAILED');
  });

  it('type sign-ups and users, and leave users incomplete who were never asked', async () => {
    const { server } = await createTestServer({ engine: 'memory', auth: { userFields } });
    const { api, admin } = server.auth;
    type Input = Parameters<typeof api.signUp>[0];
    expectTypeOf<Pick<Input, 'company'>>().toEqualTypeOf<{ readonly company: string }>();
    expectTypeOf<Input['theme']>().toEqualTypeOf<'light' | 'dark' | undefined>();
    expectTypeOf<Input['seats']>().toEqualTypeOf<number | undefined>();
    const signedUp = await api.signUp({ ...good, company: 'Engine', seats: 2 });
    if (!signedUp.ok || !signedUp.value) throw new Error('not signed up');
    expectTypeOf(signedUp.value.user.company).toEqualTypeOf<string | undefined>();
    expect(signedUp.value.user).toMatchObject({ company: 'Engine', seats: 2, theme: 'light' });

    expect(await admin.createUser({ email: 'grace@example.com' })).toMatchObject({
      value: { theme: 'light', incomplete: ['company'] },
    });
  });

  it('are described as far as the library, or the app, can say', async () => {
    const server = await createServer({ auth: { production: false, session: { strategy: 'jwt' }, userFields } });
    const response = await server.fetch(new Request('http://localhost:3000/api/openapi.json'));
    const { paths, components } = (await response.json()) as Document;
    const { schema } = paths['/api/auth/signup']!.post.requestBody.content['application/json']!;
    expect(schema.required).toEqual(['company', 'email', 'password']);
    expect(schema.properties['company']).toEqual({ type: 'string', minLength: 2 });
    expect(JSON.stringify(schema.properties['seats'])).toContain('exclusiveMinimum');
    expect(schema.properties['theme']).toEqual({});
    expect(components.schemas.User.properties['company']).toEqual({ type: 'string', minLength: 2 });
    await server.close();
  });
});

interface Described {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly post: { readonly requestBody: { readonly content: Readonly<Record<string, { schema: Described }>> } } }
    >
  >;
  readonly components: { readonly schemas: { readonly User: Described } };
}

describe('user fields whose schema has to be awaited', () => {
  const lookUp: StandardSchema<string> = {
    '~standard': { version: 1, vendor: 'own', validate: (value) => Promise.resolve({ value: String(value) }) },
  };

  it.each([
    ['an async refinement of zod', z.string().refine(async () => true)],
    ['an async schema of Valibot', v.pipeAsync(v.string(), v.checkAsync(async () => true))], // prettier-ignore
    ['a function that returns a promise', lookUp],
  ])('are refused where they are declared: %s', async (_, schema: StandardSchema) => {
    const auth = { production: false, session: { strategy: 'jwt' }, userFields: { company: { schema } } } as const;
    await expect(createServer({ auth })).rejects.toThrow(
      'userFields.company.schema: has to be synchronous: check what takes time in beforeSignUp',
    );
  });

  it('refuse the request, and wait for nothing, if only a value tells', async () => {
    const late = z.string().refine(() => Promise.resolve(true));
    const { client } = await createTestServer({
      engine: 'memory',
      auth: { userFields: { company: { schema: late } } },
    });
    const response = await client().post('/api/auth/signup', { ...good, company: 'Engine' });
    expect(refusalOf(response)).toBe('INTERNAL_ERROR');
  });
});

it('refuses a value that is no schema', async () => {
  const auth = { production: false, session: { strategy: 'jwt' }, userFields: { company: { schema: 'text' } } };
  await expect(createServer({ auth: auth as never })).rejects.toThrow(
    'userFields.company.schema: must be a schema of zod, or of another library that implements Standard Schema',
  );
});
