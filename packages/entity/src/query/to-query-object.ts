import { invalidQuery } from './query-terms.ts';

/**
 * Converts the parameters of a URL to the JSON form of a query: `where[title]=x` and `where[title][eq]=x` become `{
 * where: { title: { eq: 'x' } } }`, all others keep their text. They are interpreted by `parseListQuery`.
 *
 * @throws CodedError `INVALID_QUERY` if a parameter is repeated, or a name is malformed
 */
export function toQueryObject(parameters: Iterable<readonly [string, string]>): Readonly<Record<string, unknown>> {
  const scalars = new Map<string, string>();
  const filters = new Map<string, Map<string, string>>();
  for (const [name, text] of parameters) {
    const [, field, operator = 'eq'] = filterName.exec(name) ?? [];
    if (field === undefined) put(scalars, name, text, [name]);
    else if (combinatorName.test(field)) throw invalidQuery(['where', field], 'Only the JSON form combines filters.');
    else put(getOrMake(filters, field), operator, text, ['where', field, operator]);
  }
  if (filters.size === 0) return Object.fromEntries(scalars);
  const where = Object.fromEntries([...filters].map(([field, operands]) => [field, Object.fromEntries(operands)]));
  return Object.fromEntries<unknown>([...refuseWhere(scalars), ['where', where]]);
}

const filterName = /^where\[([^[\]]*)\](?:\[([^[\]]*)\])?$/;

const combinatorName = /^(AND|OR|NOT)$/;

function put(values: Map<string, string>, name: string, text: string, place: readonly string[]): void {
  if (values.has(name)) throw invalidQuery(place, 'This parameter is given twice.');
  values.set(name, text);
}

function getOrMake(filters: Map<string, Map<string, string>>, field: string): Map<string, string> {
  const made = filters.get(field) ?? new Map<string, string>();
  filters.set(field, made);
  return made;
}

function refuseWhere(scalars: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (scalars.has('where')) throw invalidQuery(['where'], 'This parameter is given twice.');
  return scalars;
}
