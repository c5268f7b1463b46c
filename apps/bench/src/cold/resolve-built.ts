import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Loaded before anything else by a process that is to import the packages as they are published: built.

const packages = new URL('../../../../packages/', import.meta.url);

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    nextResolve(specifier.startsWith('@x/') ? findBuilt(specifier) : specifier, context),
});

/** Finds the file that an installed package would have for what is imported. */
function findBuilt(specifier: string): string {
  const [, name = '', ...path] = specifier.split('/');
  const folder = new URL(`${name}/`, packages);
  const { publishConfig } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as PublishedPackage;
  const entry = publishConfig.exports[['.', ...path].join('/')];
  if (entry === undefined) throw new Error(`${specifier} is not exported.`);
  return new URL(entry.default, folder).href;
}

interface PublishedPackage {
  readonly publishConfig: { readonly exports: Readonly<Record<string, { readonly default: string } | undefined>> };
}
