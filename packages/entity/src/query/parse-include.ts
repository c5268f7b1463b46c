import type { Model } from '../model/model.ts';
import { invalidQuery } from './query-terms.ts';

const maxLevels = 2;
const maxInclusions = 10;

/** A relation to follow, and those to follow from there. */
export interface Inclusion {
  readonly relation: string;
  readonly include: readonly Inclusion[];
}

/** Finds the model of an entity; undefined if callers can't read it. */
export type FindModel = (entity: string) => Model | undefined;

/**
 * Parses paths of relations such as `comments` or `project.organization`; one path of two levels includes both.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseInclude(model: Model, paths: readonly string[], findModel: FindModel): readonly Inclusion[] {
  if (paths.length > maxInclusions) throw invalidQuery(['include'], `At most ${maxInclusions} relations are included.`);
  const steps = paths.map((path) => path.split('.', maxLevels + 1));
  if (steps.some(({ length }) => length > maxLevels)) {
    throw invalidQuery(['include'], `Relations are followed at most ${maxLevels} levels.`);
  }
  return toInclusions(model, steps, findModel);
}

function toInclusions(model: Model, paths: readonly (readonly string[])[], findModel: FindModel): readonly Inclusion[] {
  const byRelation = Map.groupBy(paths, ([relation = '']) => relation);
  return [...byRelation].map(([relation, followed]) => {
    const related = findRelated(model, relation, findModel);
    const further = followed.map(([, ...rest]) => rest).filter(({ length }) => length > 0);
    return { relation, include: toInclusions(related, further, findModel) };
  });
}

function findRelated({ relations, fields }: Model, name: string, findModel: FindModel): Model {
  const relation = Object.hasOwn(relations, name) ? relations[name] : undefined;
  const entity = relation?.type === 'one' ? fields[relation.field]?.options.references : relation?.entity;
  const related = entity === undefined ? undefined : findModel(entity);
  if (!related) throw invalidQuery(['include', name], 'Unknown relation.');
  return related;
}
