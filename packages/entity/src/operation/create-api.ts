import { anonymous } from '@x/access';
import { type Result, toResult } from '@x/errors';
import type { ActionTools } from '../action/action.ts';
import type { CompiledAction } from '../action/compile-actions.ts';
import type { EntityApi, EntityName } from '../action/entity-api.ts';
import type { Entity } from '../definition/entity.ts';
import type { Model } from '../model/model.ts';
import { createRecord } from './create.ts';
import { deleteRecord } from './delete.ts';
import { getRecord } from './get.ts';
import { listRecords } from './list.ts';
import type { IfMatch } from '../record/mutate.ts';
import { runAction } from './action.ts';
import { inTransaction, renewScope, type Scope, systemScope, toRuleCaller, undoable } from '../call/scope.ts';
import { showWritten } from '../record/visible-record.ts';
import { updateRecord } from './update.ts';

/**
 * Builds the in-process operations of a scope; each call opens its own.
 *
 * @param open - opens the scope of one call
 */
export function createApi(open: () => Scope): EntityApi {
  const call = <T>(work: (scope: Scope) => Promise<unknown>): Promise<Result<T>> => {
    const scope = open();
    // What an operation returns has the types of its model, or of the action.
    return toResult(async () => (await undoable(scope, work)) as T, scope.context.logger);
  };
  return {
    list: (entity, query = {}) => call((scope) => listRecords(scope, findEntity(scope, entity), query)),
    get: (entity, id, query = {}) => call((scope) => getRecord(scope, findEntity(scope, entity), id, query)),
    create: (entity, input) =>
      call(async (scope) => {
        const found = findEntity(scope, entity);
        return showWritten(scope, found, await createRecord(scope, found, input), 'created');
      }),
    update: (entity, id, input, version) =>
      call(async (scope) => {
        const found = findEntity(scope, entity);
        const updated = await updateRecord(scope, found, { id, ifMatch: toIfMatch(version) }, input);
        return showWritten(scope, found, updated, 'changed');
      }),
    delete: (entity, id, version) =>
      call(
        async (scope) =>
          void (await deleteRecord(scope, findEntity(scope, entity), { id, ifMatch: toIfMatch(version) })),
      ),
    act: (owner, action, request) =>
      call((scope) => {
        const {
          id = '',
          version,
          input,
        }: { readonly id?: string; readonly version?: number; readonly input?: unknown } = request;
        const entity = scope.context.entities.get(owner.name);
        const compiled = findAction(scope, owner.name, action);
        const target = compiled.action.on === 'record' && entity ? { entity, id, ifMatch: toIfMatch(version) } : null;
        return runAction(scope, { compiled, target, input, tools: toTools(scope) });
      }),
  };
}

/** Builds the tools for the handler of an action. */
export function toTools(scope: Scope): ActionTools {
  const { actor, now, stores } = scope;
  return {
    caller: toRuleCaller(actor),
    now,
    stores,
    get access() {
      return scope.access();
    },
    accessOf: (userId) => scope.context.access.contextFor({ ...anonymous, userId }, stores),
    // A new scope, so that what the handler has written counts.
    entities: createApi(() => renewScope(scope)),
    system: createApi(() => systemScope(scope)),
    transaction: (work) => inTransaction(scope, (inside) => undoable(inside, (step) => work(toTools(step)))),
  };
}

function findEntity({ context }: Scope, { name }: EntityName<Model>): Entity {
  const entity = context.entities.get(name);
  if (!entity)
    throw new TypeError(`There is no entity ${name}: add it to the entities of createServer or createEntities.`);
  return entity;
}

function findAction({ context }: Scope, owner: string, name: string): CompiledAction {
  const found = (context.entities.get(owner) ?? context.services.get(owner))?.compiledActions.get(name);
  if (!found)
    throw new TypeError(
      `There is no action ${owner}.${name}: declare it, and add what has it to the entities or services.`,
    );
  return found;
}

function toIfMatch(version: number | undefined): IfMatch {
  return version === undefined ? null : [version];
}
