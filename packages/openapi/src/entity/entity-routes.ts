import { type Entity, findResourceColumns, type Operation } from '@x/entity';
import { describeActions } from '../action/action-routes.ts';
import { bodyErrors, type Route, type RouteGroup } from '../document/route.ts';
import { readSecurity, writeSecurity } from '../document/security.ts';
import { idParameter } from './id-parameter.ts';
import { type OperationTerms, operationTerms } from './operation-terms.ts';
import { type QueryNames, querySchemas } from './query.ts';
import { inputSchemas, recordSchemas } from './record-schemas.ts';
import { findRelations, toIncludePaths } from './relations.ts';
import { errorsOfRule, isForAll } from './rule-errors.ts';

/** Describes the routes of entities, each in a group of its own. */
export function describeEntities(entities: readonly Entity[]): readonly RouteGroup[] {
  const columns = findResourceColumns(new Map(entities.map((entity) => [entity.name, entity])));
  return entities.map((entity) => {
    const entitlements = [...(columns.get(entity.name)?.entitlements ?? [])];
    return describeEntity(entity, entities, { include: toIncludePaths(entity, entities), entitlements });
  });
}

function describeEntity(entity: Entity, entities: readonly Entity[], names: QueryNames): RouteGroup {
  const { name } = entity;
  const actions = describeActions(entity.compiledActions.values());
  const exposed = operationTerms(entity, names).filter(([operation]) => entity.rules.has(operation));
  return {
    tags: [{ name, description: `Records of \`${name}\`.` }],
    routes: [...exposed.map(([operation, terms]) => toRoute(entity, operation, terms)), ...actions.routes],
    schemas: {
      ...recordSchemas(entity, { relations: findRelations(entity, entities), entitlements: names.entitlements }),
      ...inputSchemas(entity),
      ...querySchemas(entity, names),
      ...actions.schemas,
    },
  };
}

function toRoute(entity: Entity, operation: Operation, terms: OperationTerms): Route {
  const { name, method, path, summary, description, parameters = [], input, answer, errors } = terms;
  const rule = entity.rules.get(operation);
  const caller = rule?.allowsAnonymous ? 'visitor' : 'user';
  const isRead = method === 'get';
  // Signed-in callers may be shown more.
  const isSame = isForAll(rule) && entity.fieldRules.read.size === 0;
  return {
    operationId: `${entity.name}.${name}`,
    tag: entity.name,
    method,
    path: `/api/${entity.name}${path}`,
    summary,
    description,
    security: isRead ? (isSame ? readSecurity.anyone : readSecurity[caller]) : writeSecurity[caller],
    parameters: [...(path === '/{id}' ? [idParameter] : []), ...parameters],
    body: input && { schema: input, isRequired: true },
    answers: [{ ...answer, headers: ['Cache-Control', ...(answer.headers ?? [])] }],
    errors: [...errors, ...(isRead ? [] : bodyErrors), ...errorsOfRule(entity, operation)],
  };
}
