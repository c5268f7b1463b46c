import { CodedError, validationFailed } from '@x/errors';
import type { EntityRow, RelatedResource, Resource } from '@x/store';
import { and, isIn, isNull, not, or } from '@x/store/where';
import { type Call, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { type Model, parentOf, toTouched } from '../model/model.ts';
import { batchesOf } from './read-rows.ts';

// A record may refer to several parents. The first is the one that it is directly below; any other has to be above it
// as well, because the database deletes the record with each of them.

/**
 * Makes sure that a record has a parent, if its model names several.
 *
 * @throws CodedError `VALIDATION_FAILED`
 */
export function assertSomeParent(model: Model, row: EntityRow): void {
  if (model.parents.length < 2 || parentOf(model, row)) return;
  const message = `One of ${model.parents.join(', ')} is expected.`;
  throw validationFailed(model.parents.map((name) => ({ path: [name], code: 'required', message })));
}

/**
 * Makes sure that a resource that has its place in the hierarchy is below all parents that its record names.
 *
 * @throws CodedError `CONFLICT`
 */
export async function assertBelowOthers(call: Call, entity: Entity, row: EntityRow): Promise<void> {
  const { resource, model, name } = entity;
  const first = parentOf(model, row)?.field;
  if (!resource) return;
  for (const { column, resource: location } of call.context.resourceColumns.get(name)?.parents ?? []) {
    const id = row[column];
    if (column === first || !location || typeof id !== 'string') continue;
    const above = { type: location.resourceType, id };
    if (!(await call.stores.hierarchy.hasPath(above, { type: resource.type, id: row.id }))) throw notAbove(column);
  }
}

function notAbove(field: string): CodedError {
  const message = 'This is not above the other parent.';
  return new CodedError('CONFLICT', `${field}: ${message}`, {
    issues: [{ path: [field], code: 'not_above', message }],
  });
}

/**
 * Corrects the other parents of all records below a resource that has moved: those that are no longer above become the
 * nearest resource of their type that is. Runs no hooks.
 *
 * @throws CodedError `CONFLICT` if there is none, and a record needs one
 */
export async function moveOtherParents(call: Call, self: Resource): Promise<void> {
  const { hierarchy } = call.stores;
  const others = otherParentsIn(call);
  const below = others.length === 0 ? [] : await hierarchy.descendants(self);
  if (below.length === 0) return;
  const above = [{ resource: self, depth: 0 }, ...(await hierarchy.ancestors(self))];
  for (const other of others) await moveOtherParent(call, other, { above, below });
}

/** A reference to a parent that is not the first one of its model. */
interface OtherParent {
  readonly entity: Entity;
  /** The type of the entity's resources. */
  readonly childType: string;
  readonly field: string;
  /** The parents that come first. */
  readonly earlier: readonly string[];
  /** The type of the resources that it refers to. */
  readonly type: string;
}

function otherParentsIn({ context }: Call): readonly OtherParent[] {
  return [...context.entities.values()].flatMap((entity): readonly OtherParent[] => {
    const { resource, model, name } = entity;
    const parents = context.resourceColumns.get(name)?.parents ?? [];
    return parents.slice(1).flatMap(({ column: field, resource: location }, at) => {
      if (!resource || !location) return [];
      const earlier = model.parents.slice(0, at + 1);
      return [{ entity, childType: resource.type, field, earlier, type: location.resourceType }];
    });
  });
}

/** What is above and below a resource that has moved, the nearest first. */
interface Relatives {
  readonly above: readonly RelatedResource[];
  readonly below: readonly RelatedResource[];
}

async function moveOtherParent(
  call: Call,
  { entity, childType, field, earlier, type }: OtherParent,
  { above, below }: Relatives,
): Promise<void> {
  const { entities } = call.stores;
  const right = idsOf(above, type);
  const next = right[0] ?? null;
  const hasEarlier = or(...earlier.map((name) => not(isNull(name))));
  const isWrong = and(not(isIn(field, [...right, ...idsOf(below, type)])), not(isNull(field)), hasEarlier);
  const isRequired = !entity.model.fields[field]?.options.nullable;
  for (const batch of batchesOf(idsOf(below, childType), batchSize)) {
    const wrong = and(isIn('id', batch), isWrong);
    if (next === null && isRequired && (await entities.count(entity.name, wrong)) > 0) throw notAbove(field);
    await entities.updateAll(
      entity.name,
      { values: { [field]: next, ...toTouched(entity.model, call.now) }, where: wrong },
      toCause(call),
    );
  }
}

function idsOf(related: readonly RelatedResource[], type: string): readonly string[] {
  return related.filter(({ resource }) => resource.type === type).map(({ resource }) => resource.id);
}

/** How many records a statement changes. */
const batchSize = 500;
