import type { Entity } from '@x/entity';

/** The relations of an entity that callers may include. */
export type Relations = readonly {
  readonly name: string;
  readonly type: 'many' | 'one';
  /** The entity that it leads to. */
  readonly entity: string;
}[];

/** Finds the relations to records that callers can read. */
export function findRelations({ model }: Entity, entities: readonly Entity[]): Relations {
  const readable = new Set(
    entities.filter(({ rules }) => rules.has('get') || rules.has('list')).map(({ name }) => name),
  );
  return Object.entries(model.relations).flatMap(([name, relation]) => {
    const entity = relation.type === 'many' ? relation.entity : model.fields[relation.field]?.options.references;
    return entity !== undefined && readable.has(entity) ? [{ name, type: relation.type, entity }] : [];
  });
}

/** Lists the paths of relations that a query may include, of one or two steps. */
export function toIncludePaths(entity: Entity, entities: readonly Entity[]): readonly string[] {
  return findRelations(entity, entities).flatMap(({ name, entity: target }) => {
    const related = entities.find((each) => each.name === target);
    const further = related ? findRelations(related, entities) : [];
    return [name, ...further.map((step) => `${name}.${step.name}`)];
  });
}
