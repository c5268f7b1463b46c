import type { Context } from 'hono';

/** Reads query parameters; one that is repeated says nothing, like one that is absent. */
export function onlyQuery<Name extends string>(
  c: Context,
  names: readonly Name[],
): { readonly [Each in Name]?: string | undefined } {
  const read = names.map((name) => {
    const values = c.req.queries(name) ?? [];
    return [name, values.length === 1 ? values[0] : undefined];
  });
  return Object.fromEntries(read);
}
