import type { OpenApiDocument } from './document.ts';

type Components = OpenApiDocument['components'];

/**
 * Picks the components that the paths of a document refer to, directly or indirectly. Security schemes are not referred
 * to.
 */
export function usedComponents(paths: OpenApiDocument['paths'], components: Components): Components {
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== '$ref' || typeof member !== 'string') follow(member);
      else if (!used.has(member)) {
        used.add(member);
        follow(componentAt(components, member));
      }
    }
  };
  follow(paths);
  const pick = <T>(kind: keyof Components, all: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${prefix}${kind}/${name}`)));
  return {
    schemas: pick('schemas', components.schemas),
    responses: pick('responses', components.responses),
    parameters: pick('parameters', components.parameters),
    headers: pick('headers', components.headers),
    securitySchemes: components.securitySchemes,
  };
}

const prefix = '#/components/';

function componentAt(components: Components, reference: string): unknown {
  const [kind = '', name = ''] = reference.slice(prefix.length).split('/');
  const all: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { ...components };
  return all[kind]?.[name];
}
