import { CodedError } from '@x/errors';
import { openAuthorization } from '../authorization/open-authorization.ts';
import { boundsOf, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { maxGroups, parseAggregateQuery, type ParsedAggregateQuery } from '../query/parse-aggregate-query.ts';
import { queryTerms } from '../record/caller-terms.ts';
import { restrictRelated } from '../record/restrict-related.ts';

/** A group of records: the values that they share, and the computed measures, by their names. */
type ShownGroup = Readonly<Record<string, unknown>> & { readonly key: Readonly<Record<string, unknown>> };

/**
 * Groups the records that the caller may list, and computes what was asked for of each group. It is about the fields
 * that the caller may read on every record, and nothing else shows in the result.
 *
 * @throws CodedError
 */
export async function aggregateRecords(
  call: Call,
  entity: Entity,
  input: unknown,
): Promise<{ readonly groups: readonly ShownGroup[] }> {
  const authorization = openAuthorization(call, entity, 'list');
  const query = parseAggregateQuery(queryTerms(call, entity), input);
  const where = await authorization.restrict(await restrictRelated(call, query.where));
  const { maxCharacters, caller } = boundsOf(call, entity);
  const { groups, hasMore } = await call.stores.entities.aggregate(entity.name, {
    where,
    groupBy: query.groupBy,
    measures: query.measures,
    limit: maxGroups,
    bounds: { ...(maxCharacters !== undefined && { maxCharacters }), ...(caller !== undefined && { caller }) },
  });
  // Which of them are left out would be arbitrary.
  if (hasMore) throw tooLarge(groups.length);
  return { groups: groups.map((group) => toShownGroup(query, group)) };
}

function tooLarge(count: number): CodedError {
  const message =
    count < maxGroups ? 'The groups are larger than a page.' : `The records are of more than ${maxGroups} groups.`;
  return new CodedError('QUERY_TOO_EXPENSIVE', message);
}

function toShownGroup(
  { groupBy, measures }: ParsedAggregateQuery,
  { key, values }: { readonly key: readonly unknown[]; readonly values: readonly unknown[] },
): ShownGroup {
  return {
    ...Object.fromEntries(measures.map(({ name }, index) => [name, values[index]])),
    key: Object.fromEntries(groupBy.map((name, index) => [name, key[index]])),
  };
}
