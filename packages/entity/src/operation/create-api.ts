import { anonymous } from '@x/access';
import { type Result, toResult } from '@x/errors';
import type { ActionTools } from '../action/action.ts';
import type { CompiledAction } from '../action/compile-actions.ts';
import type { EntityName, SystemApi } from '../action/entity-api.ts';
import { inTransaction, renewCall, type Call, asSystem, toRuleCaller, undoable } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import type { Model } from '../model/model.ts';
import type { IfMatch } from '../record/mutate.ts';
import { showWritten } from '../record/visible-record.ts';
import { runAction } from './action.ts';
import { createRecord } from './create.ts';
import { deleteRecord } from './delete.ts';
import { exportRecords } from './export.ts';
import { getRecord } from './get.ts';
import { type ImportLine, importRecords } from './import.ts';
import { listRecords } from './list.ts';
import { updateRecord } from './update.ts';

/**
 * Builds the operations in process.
 *
 * @param open - opens the call of each operation
 */
export function createApi(open: () => Call): SystemApi {
  const run = <T>(work: (call: Call) => Promise<unknown>): Promise<Result<T>> => {
    const call = open();
    // The result of an operation has the types of its model, or of the action.
    return toResult(async () => (await undoable(call, work)) as T, call.context.logger);
  };
  return {
    list: (entity, query = {}) => run((call) => listRecords(call, findEntity(call, entity), query)),
    get: (entity, id, query = {}) => run((call) => getRecord(call, findEntity(call, entity), id, query)),
    create: (entity, input) =>
      run(async (call) => {
        const found = findEntity(call, entity);
        return showWritten(call, found, await createRecord(call, found, input), 'created');
      }),
    update: (entity, id, input, version) =>
      run(async (call) => {
        const found = findEntity(call, entity);
        const updated = await updateRecord(call, found, { id, ifMatch: toIfMatch(version) }, input);
        return showWritten(call, found, updated, 'changed');
      }),
    delete: (entity, id, version) =>
      run(
        async (call) => void (await deleteRecord(call, findEntity(call, entity), { id, ifMatch: toIfMatch(version) })),
      ),
    // The pages are read by the call itself, since a step of a transaction ends with the first one.
    exportRecords: (entity, query = {}) => {
      const call = open();
      const read = async (): Promise<AsyncIterable<never>> =>
        flatten(await exportRecords(call, findEntity(call, entity), { ...query })) as AsyncIterable<never>;
      return toResult(read, call.context.logger);
    },
    importRecords: (entity, lines, resume = {}) =>
      run((call) => importRecords(call, findEntity(call, entity), { lines: toLines(lines), query: { ...resume } })),
    act: (owner, action, request) =>
      run((call) => {
        const {
          id = '',
          version,
          input,
        }: { readonly id?: string; readonly version?: number; readonly input?: unknown } = request;
        const entity = call.context.entities.get(owner.name);
        const compiled = findAction(call, { owner: owner.name, name: action });
        const target = compiled.action.on === 'record' && entity ? { entity, id, ifMatch: toIfMatch(version) } : null;
        return runAction(call, { compiled, target, input, tools: toTools(call) });
      }),
  };
}

/** Builds the tools for the handler of an action. */
export function toTools(call: Call): ActionTools {
  const { actor, now, stores } = call;
  return {
    caller: toRuleCaller(actor),
    now,
    stores,
    get access() {
      return call.access();
    },
    accessOf: (userId) => call.context.access.contextFor({ ...anonymous, userId }, stores),
    // A new call, so that what the handler has written counts.
    entities: createApi(() => renewCall(call)),
    system: createApi(() => asSystem(call)),
    transaction: (work) => inTransaction(call, (inside) => undoable(inside, (step) => work(toTools(step)))),
  };
}

async function* flatten<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}

async function* toLines(values: AsyncIterable<unknown>): AsyncGenerator<ImportLine, void> {
  for await (const value of values) yield () => value;
}

function findEntity({ context }: Call, { name }: EntityName<Model>): Entity {
  const entity = context.entities.get(name);
  if (!entity)
    throw new TypeError(`There is no entity ${name}: add it to the entities of createServer or createEntities.`);
  return entity;
}

function findAction(
  { context }: Call,
  { owner, name }: { readonly owner: string; readonly name: string },
): CompiledAction {
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
