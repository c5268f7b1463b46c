import type { Context } from 'hono';

/** Reads query parameters; a repeated one counts as absent. */
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
