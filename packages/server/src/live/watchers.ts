import type { WatchedList } from '@x/entity';
import { type GrantedResources, RequiredRoles, type Resource, type StoredChange } from '@x/store';
import { type ConditionRow, findGranted, type GrantedWhere, matches } from '@x/store/where';
import type { GrantedInBatch } from './granted-in-batch.ts';
import type { LiveStream } from './live-stream.ts';
import { readText } from './read-text.ts';

/** A subscription of a stream. */
export interface Watcher {
  readonly stream: LiveStream;
  readonly id: string;
  readonly entity: string;
  /** As the client gave it. */
  readonly query: unknown;
  readonly list: WatchedList;
}

/** Watchers of one list: their users may read the same rows, and their queries are equal. */
interface WatchedGroup {
  readonly list: WatchedList;
  readonly grants: readonly GrantedWhere[];
  readonly watchers: Set<Watcher>;
}

/** The subscriptions of this process, grouped so that equal ones are evaluated once. */
export class Watchers {
  readonly #groups = new Map<string, Map<string, WatchedGroup>>();
  readonly #all = new Set<Watcher>();
  readonly #ofStreams = new Map<LiveStream, Set<Watcher>>();

  /** Every subscription. */
  get all(): Iterable<Watcher> {
    return this.#all;
  }

  /** Lists the subscriptions of a stream. */
  of(stream: LiveStream): readonly Watcher[] {
    return [...(this.#ofStreams.get(stream) ?? [])];
  }

  add(watcher: Watcher): void {
    const { entity, list } = watcher;
    const ofEntity = this.#groups.get(entity) ?? new Map<string, WatchedGroup>();
    const key = toGroupKey(list);
    const group = ofEntity.get(key) ?? { list, grants: findGranted(list.reach), watchers: new Set<Watcher>() };
    group.watchers.add(watcher);
    this.#groups.set(entity, ofEntity.set(key, group));
    this.#all.add(watcher);
    this.#ofStreams.set(watcher.stream, (this.#ofStreams.get(watcher.stream) ?? new Set<Watcher>()).add(watcher));
  }

  delete(watcher: Watcher): void {
    const ofEntity = this.#groups.get(watcher.entity);
    const key = toGroupKey(watcher.list);
    const group = ofEntity?.get(key);
    group?.watchers.delete(watcher);
    if (group?.watchers.size === 0) ofEntity?.delete(key);
    this.#all.delete(watcher);
    const own = this.#ofStreams.get(watcher.stream);
    own?.delete(watcher);
    if (own?.size === 0) this.#ofStreams.delete(watcher.stream);
  }

  /** Notifies the watchers whose list has a changed record, or had it before. */
  async notify(change: StoredChange, granted: GrantedInBatch): Promise<void> {
    const groups = this.#groups.get(change.entity)?.values() ?? [];
    await Promise.all([...groups].map((group) => notifyGroup(group, change, granted)));
  }
}

/** Notifies a watcher of a change that it may have missed. */
export async function notifyOfMissed(watcher: Watcher, change: StoredChange, granted: GrantedInBatch): Promise<void> {
  const { stream, id, entity, list } = watcher;
  if (change.kind === 'hierarchy') await notifyOfMove(watcher, change, granted);
  const isOwn = change.kind === 'role' && userOf(change) === stream.terms.caller.userId;
  if (list.dependsOnAccess && (isOwn || isOfGroup(change))) stream.notify(id, null);
  if (change.kind !== 'record' || change.entity !== entity) return;
  await notifyGroup({ list, grants: findGranted(list.reach), watchers: new Set([watcher]) }, change, granted);
}

/** Returns the user whose role changed. */
export function userOf({ before, after }: StoredChange): string {
  return readText(after ?? before, 'userId');
}

/** Says whether a change concerns a group: its members, or its roles. Any user may be in it, also by other groups. */
export function isOfGroup({ kind, before, after }: StoredChange): boolean {
  return kind === 'membership' || (kind === 'role' && readText(after ?? before, 'groupId') !== '');
}

/** Notifies a watcher of an added or removed edge of the hierarchy by which its user may read rows. */
export async function notifyOfMove(
  { stream, id, list }: Watcher,
  { entity: child, before, after }: StoredChange,
  granted: GrantedInBatch,
): Promise<void> {
  const edge = after ?? before;
  const parent: Resource = { type: readText(edge, 'parentType'), id: readText(edge, 'parentId') };
  for (const { resources } of findGranted(list.reach)) {
    for (const required of requirementsAt(resources, child)) {
      const above = required.above(parent.type);
      if (above && (await granted.holds(resources, parent, above))) return stream.notify(id, null);
    }
  }
}

async function notifyGroup({ list, grants, watchers }: WatchedGroup, change: StoredChange, granted: GrantedInBatch) {
  const isShown = await shows(list, grants, change.after, granted);
  if (!isShown && !(await shows(list, grants, change.before, granted))) return;
  const updatedAt = change.after && readUpdatedAt(change);
  // A list does not show a row that has left it, so nor does the notice.
  const changedId = isShown || updatedAt === null ? change.id : null;
  for (const { stream, id } of watchers) stream.notify(id, changedId, updatedAt);
}

/** Reads the time that a change gave its record, by which whoever wrote it knows it; undefined if it gave none. */
function readUpdatedAt({ before, after }: StoredChange): string | undefined {
  const [earlier, updatedAt] = [before?.['updatedAt'], after?.['updatedAt']];
  if (!(updatedAt instanceof Date) || Number(earlier) === Number(updatedAt)) return undefined;
  return updatedAt.toISOString();
}

/** Says whether a list shows a row. */
async function shows(
  { where, reach, isDecimal }: WatchedList,
  grants: readonly GrantedWhere[],
  row: ConditionRow | null,
  granted: GrantedInBatch,
): Promise<boolean> {
  if (row === null || !matches(where, row, { isDecimal })) return false;
  const held = new Set<string>();
  for (const { column, resources } of grants) {
    const id = row[column];
    if (typeof id === 'string' && (await granted.has(resources, id))) held.add(toGrantKey(resources, id));
  }
  return matches(reach, row, { isDecimal, isGranted: (resources, id) => held.has(toGrantKey(resources, id)) });
}

function toGrantKey(resources: GrantedResources, id: string): string {
  return JSON.stringify([resources, id]);
}

function toGroupKey({ where, reach }: WatchedList): string {
  return JSON.stringify([where, reach]);
}

/** Lists the requirements that suffice on resources of a type, on the way up from the granted ones. */
function requirementsAt(resources: GrantedResources, type: string): readonly RequiredRoles[] {
  const types = new Set([resources.type, ...resources.inheritance.map(({ parent }) => parent.type)]);
  const found = new Map<RequiredRoles, string>([[new RequiredRoles(resources), resources.type]]);
  // A map's entries are visited in insertion order, including those added meanwhile.
  for (const [required] of found) {
    for (const above of types) {
      const next = required.above(above);
      if (next && !found.has(next)) found.set(next, above);
    }
  }
  return [...found].flatMap(([required, at]) => (at === type ? [required] : []));
}
