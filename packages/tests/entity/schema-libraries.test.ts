import { rules } from '@x/access';
import { action, defineEntity, defineModel, defineService, field } from '@x/entity';
import { withJsonSchema } from '@x/errors';
import { createServer } from '@x/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, expectTypeOf, it } from 'vitest';

// The libraries themselves: Valibot has no JSON Schema of its own, ArkType has.

const everybody = {
  list: rules.public,
  get: rules.public,
  create: rules.public,
  update: false,
  delete: false,
} as const;
const slug = v.pipe(v.string(), v.regex(/^[a-z]+$/, 'Use small letters.'));

const pages = defineEntity({
  model: defineModel('pages', {
    fields: { slug: field.text({ schema: slug }), size: field.integer({ schema: type('number.integer > 0') }) },
  }),
  access: everybody,
});

const search = defineService({
  name: 'search',
  actions: {
    valibot: action({
      rule: rules.public,
      input: v.strictObject({ words: v.array(slug), limit: v.optional(v.number(), 10) }),
      handler: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ words: string[]; limit: number }>();
        return input;
      },
    }),
    described: action({
      rule: rules.public,
      input: withJsonSchema(v.object({ word: slug }), { type: 'object', properties: { word: { type: 'string' } } }),
      handler: ({ input }) => input.word,
    }),
    arktype: action({
      rule: rules.public,
      input: type({ '+': 'reject', word: 'string >= 2' }),
      handler: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ word: string }>();
        return input.word;
      },
    }),
  },
});

async function start() {
  const server = await createServer({
    auth: { production: false, session: { strategy: 'jwt' } },
    entities: [pages],
    services: [search],
  });
  return { server, api: server.entities.asSystem() };
}

it('validates fields and inputs with schemas of Valibot and ArkType, in their words', async () => {
  const { server, api } = await start();
  expect(await api.create(pages, { slug: 'home', size: 1 })).toMatchObject({ ok: true });
  const refused = await api.create(pages, { slug: 'Home', size: 0 });
  expect(refused).toMatchObject({
    error: {
      code: 'VALIDATION_FAILED',
      issues: [
        { path: ['slug'], message: 'Use small letters.' },
        { path: ['size'], message: 'must be positive (was 0)' },
      ],
    },
  });

  expect(await api.act(search, 'valibot', { input: { words: ['a'] } })).toMatchObject({
    value: { words: ['a'], limit: 10 },
  });
  expect(await api.act(search, 'valibot', { input: { words: ['a', 'B'] } })).toMatchObject({
    error: { issues: [{ path: ['words', 1], message: 'Use small letters.' }] },
  });
  expect(await api.act(search, 'arktype', { input: { word: 'ab' } })).toMatchObject({ value: 'ab' });
  const unknown = { word: 'ab', more: 1 };
  expect(await api.act(search, 'arktype', { input: unknown })).toMatchObject({
    error: { issues: [{ path: ['more'] }] },
  });
  await server.close();
});

it('describes what it takes as far as the library, or the app, can say', async () => {
  const { server } = await start();
  const response = await server.fetch(new Request('http://localhost:3000/api/openapi.json'));
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
  };
  const inputOf = (name: string): unknown =>
    paths[`/api/search/${name}`]?.post.requestBody.content['application/json'].schema;
  expect(inputOf('valibot')).toEqual({});
  expect(inputOf('described')).toEqual({ type: 'object', properties: { word: { type: 'string' } } });
  expect(inputOf('arktype')).toMatchObject({
    properties: { word: { type: 'string', minLength: 2 } },
    required: ['word'],
  });
  await server.close();
});

interface Operation {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: unknown } } };
}

it('refuses async schemas of Valibot where they are declared', () => {
  const input = v.objectAsync({
    word: v.pipeAsync(
      v.string(),
      v.checkAsync(async () => true),
    ),
  });
  expect(() =>
    defineService({ name: 'late', actions: { go: action({ rule: rules.public, input, handler: () => 1 }) } }),
  ).toThrow('late.actions.go.input: the schema has to be synchronous: check what takes time in the handler.');
});
