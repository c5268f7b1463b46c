// The guides of the README run as they stand there.
import { defineEntity, defineModel, field } from '@x/entity';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { compile } from 'svelte/compiler';
// @ts-expect-error It has no types: only compiled components import it.
import * as svelte from 'svelte/internal/server';
import { render } from 'svelte/server';
import { derived, get } from 'svelte/store';
import { expect, it } from 'vitest';
import { effectScope, onScopeDispose, type ShallowRef, shallowRef, watchEffect } from 'vue';
import { createQueryCache } from './cache.ts';
import type { Subscribable } from './index.ts';
import { watchList } from './list.ts';
import { recordingClient } from './testing/recording-client.ts';

const access = { list: false, get: false, create: false, update: false, delete: false } as const;
const model = defineModel('tasks', { fields: { title: field.text(), done: field.boolean() } });
const tasks = defineEntity({ model, access });

const user = { id: 'ada', email: 'ada@example.com' };
const session = { user, expiresAt: new Date(Date.now() + 600_000).toISOString() };
const credentials = { email: user.email, password: 'correct horse battery' };
const page = { items: [{ id: '1', title: 'Write' }], nextCursor: null };

const open = (...answers: readonly object[]) => recordingClient<{ entities: { tasks: typeof tasks } }>(answers);

/** Returns the block of the README that is in a language and contains a text. */
function guide(language: string, text: string): string {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const blocks = readme.split(/^```/m).filter((block) => block.startsWith(`${language}\n`) && block.includes(text));
  expect(blocks).toHaveLength(1);
  return blocks[0]!.slice(language.length + 1);
}

/** Runs a module whose imports have these values, and returns its function. */
function run<T>(code: string, imported: Readonly<Record<string, unknown>>): T {
  const body = code.replaceAll(/^import .*$/gm, '').replace(/^export (default )?function/m, 'return function');
  return compileFunction(body, Object.keys(imported))(...Object.values(imported)) as T;
}

it('a ref of Vue has the state at once and after every change, until its scope ends', async () => {
  type UseStore = <T>(store: Subscribable<T>) => Readonly<ShallowRef<T>>;
  const useStore = run<UseStore>(stripTypeScriptTypes(guide('ts', "from 'vue'")), { onScopeDispose, shallowRef });
  const { client } = open(session, { ok: true });
  const scope = effectScope();
  const shown: string[] = [];
  scope.run(() => {
    const state = useStore(client.session);
    watchEffect(() => shown.push(state.value.user?.email ?? state.value.status), { flush: 'sync' });
    return state;
  });
  expect(shown).toEqual(['signedOut']);
  await client.auth.signIn(credentials);
  expect(shown).toEqual(['signedOut', user.email]);
  scope.stop();
  await client.auth.signOut();
  expect(shown).toHaveLength(2);
});

it('a page of Svelte reads the session and a list as stores', async () => {
  const { client } = open(session, page);
  await client.auth.signIn(credentials);
  const { js } = compile(guide('svelte', 'watchList'), { generate: 'server' });
  const component = run<Parameters<typeof render>[0]>(js.code, { $: svelte, client, watchList });
  expect(render(component, { props: {} }).body).toContain(user.email);
  client.close();
});

it('a store of Svelte derives from a list, and the session can be read like one', async () => {
  const { client } = open(page);
  expect([get(client.session).status, get(client.access).can('x')]).toEqual(['signedOut', false]);
  const titles: (string | undefined)[] = [];
  const title = derived(watchList(client.entities.tasks), ({ data }) => data?.items[0]?.title);
  const stop = title.subscribe((next) => titles.push(next));
  expect(titles).toEqual([undefined]);
  await expect.poll(() => titles.at(-1)).toBe('Write');
  stop();
});

it('the result of a query of a cache is a store of Svelte, also where there is no page', async () => {
  const { client } = open(page);
  const cache = createQueryCache<'tasks'>(client, 'app');
  const search = cache.query(['tasks'], (title: string, options) =>
    client.entities.tasks.list({ where: { title: { icontains: title } } }, options),
  );
  const titles: (string | undefined)[] = [];
  const stop = derived(search.at('write'), ({ data }) => data?.items[0]?.title).subscribe((next) => titles.push(next));
  await expect.poll(() => titles).toEqual([undefined, 'Write']);
  stop();
  cache.close();
});
