import { CodedError } from '@x/errors';
import { type EntityRow, maxHierarchyDepth, type Resource } from '@x/store';
import { all, and, eq, isNull, type Where } from '@x/store/where';
import type { NewRecordPermit } from '../authorization/authorization.ts';
import { recordNotWritable } from '../authorization/errors.ts';
import { openAuthorization, openMoveAuthorization } from '../authorization/open-authorization.ts';
import { parentResourceOf } from '../authorization/resource-columns.ts';
import { type Call, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { parentOf } from '../model/model.ts';
import { notWritable } from '../model/record-input.ts';
import { moveWithCounted } from './counted-below.ts';
import { assertBelowOthers, moveOtherParents } from './other-parents.ts';
import { assertParent } from './references.ts';

/** A record that gets another parent. */
export interface Move {
  readonly entity: Entity;
  /** The record as it was looked up. */
  readonly from: EntityRow;
  /** The record as it is about to be, or is. */
  readonly to: EntityRow;
}

/** Says whether a parent of a record changes. */
export function isMove(move: Move): boolean {
  return changedParents(move).length > 0;
}

/** Says whether callers can move records of an entity: it takes the rights of deleting and creating them. */
export function isMovable({ model, rules }: Entity): boolean {
  return model.parents.length > 0 && rules.has('delete') && rules.has('create');
}

/** The permission to move one record. */
export interface MovePermit extends NewRecordPermit {
  /** The condition of the statement, which repeats what was decided about the record at its old place. */
  readonly where: Where;
}

/**
 * Authorizes a caller to move a record: as deleting it at its old place, and creating it at the new one.
 *
 * @throws CodedError as for creating it; `VALIDATION_FAILED` if callers can't do both with any record
 */
export async function authorizeMove(call: Call, move: Move): Promise<MovePermit> {
  const { entity, from, to } = move;
  const fields = changedParents(move);
  if (call.actor.type === 'caller' && !isMovable(entity)) throw notWritable(fields);
  const leaving = openAuthorization(call, entity, 'delete');
  const found = await leaving.findAuthorized((where) => call.stores.entities.get(entity.name, from.id, where));
  if (!found) throw recordNotWritable();
  await assertParent(call, entity, to);
  const arriving = await openMoveAuthorization(call, entity, { row: from, to });
  const chosen = Object.fromEntries(fields.map((name) => [name, to[name] ?? null]));
  return { ...(await arriving.authorize(to, chosen)), where: leaving.writable().where };
}

function changedParents({ entity: { model }, from, to }: Move): readonly string[] {
  return model.parents.filter((name) => from[name] !== to[name]);
}

/** Builds the condition that a record still has the parent that it had when it was looked up. */
export function whereUnmoved({ model }: Entity, row: EntityRow): Where {
  const isAsFound = (name: string): Where => {
    const id = row[name];
    return typeof id === 'string' ? eq(name, id) : isNull(name);
  };
  return and(...model.parents.map(isAsFound));
}

/**
 * Moves what follows from the parent of a record: its place in the hierarchy, with everything below it, and what counts
 * toward limits there.
 *
 * @throws CodedError `FORBIDDEN` as {@link moveWithCounted}; `CONFLICT` if the record would be below itself or too deep,
 * or is not where its row says, or would not be below its other parents
 */
export async function moveResource(call: Call, move: Move): Promise<void> {
  const { entity, from, to } = move;
  const columns = call.context.resourceColumns.get(entity.name);
  const [old, next] = [parentResourceOf(columns, from), parentResourceOf(columns, to)];
  if (!entity.resource || !next) await assertAcyclic(call, move);
  if (!entity.resource) return;
  const self = { type: entity.resource.type, id: to.id };
  if (old?.type !== next?.type || old?.id !== next?.id) {
    const change = { self, old, next };
    await moveWithCounted(call, change, () => changeEdge(call, move, change));
    await moveOtherParents(call, self);
  }
  await assertBelowOthers(call, entity, to);
}

interface EdgeChange {
  readonly self: Resource;
  readonly old: Resource | null;
  readonly next: Resource | null;
}

async function changeEdge(call: Call, move: Move, { self, old, next }: EdgeChange): Promise<void> {
  const { hierarchy } = call.stores;
  const cause = toCause(call);
  if (old && next) return assertMoved(move, await hierarchy.move(self, { from: old, to: next }, cause));
  if (next) return assertMoved(move, await hierarchy.attach({ child: self, parent: next }, cause));
  if (old) await hierarchy.detach({ child: self, parent: old }, cause);
}

function assertMoved(move: Move, outcome: string): void {
  if (outcome === 'cycle') throw belowItself(move);
  if (outcome === 'too_deep') throw tooDeep();
  if (outcome === 'missing') throw new CodedError('CONFLICT', 'The record is not where its parent field says.');
}

/** Makes sure that a record is not below itself where the hierarchy of resources does not. */
async function assertAcyclic(call: Call, move: Move): Promise<void> {
  const { entity, to } = move;
  const { stores, context } = call;
  if (!parentOf(entity.model, to) || !isNested(call, entity)) return;
  // Moves that are fine alone may form a circle.
  await stores.lock('entity.move');
  let [at, row]: [Entity | undefined, EntityRow | undefined] = [entity, to];
  for (let depth = 0; at && row; depth += 1) {
    const parent = parentOf(at.model, row);
    if (!parent) return;
    at = context.entities.get(at.model.fields[parent.field]?.options.references ?? '');
    if (at?.name === entity.name && parent.id === to.id) throw belowItself(move);
    if (depth === maxHierarchyDepth) throw tooDeep();
    row = at && (await stores.entities.get(at.name, parent.id, all))?.row;
  }
}

/** Says whether records of an entity can be below others of it. */
function isNested({ context }: Call, { name, model }: Entity): boolean {
  const above = new Set([model]);
  for (const { parents, fields } of above) {
    for (const parent of parents) {
      const referred = context.entities.get(fields[parent]?.options.references ?? '');
      if (referred?.name === name) return true;
      if (referred) above.add(referred.model);
    }
  }
  return false;
}

function belowItself({ entity: { model }, to }: Move): CodedError {
  const field = parentOf(model, to)?.field ?? '';
  const message = 'A record cannot be below itself.';
  return new CodedError('CONFLICT', `${field}: ${message}`, { issues: [{ path: [field], code: 'cycle', message }] });
}

/** Builds the error for a record that would be deeper than the hierarchy may be. */
export function tooDeep(): CodedError {
  return new CodedError('CONFLICT', 'The hierarchy would be too deep.');
}
