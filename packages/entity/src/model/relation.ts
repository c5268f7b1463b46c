/** How records of one entity lead to records of another; created by {@link hasMany} and {@link belongsTo}. */
export type Relation =
  | { readonly type: 'many'; readonly entity: string; readonly field: string }
  | { readonly type: 'one'; readonly field: string };

/** Declares a relation to the records of another entity that refer to this one. */
export function hasMany<const Entity extends string>(
  entity: Entity,
  reference: string,
): { readonly type: 'many'; readonly entity: Entity; readonly field: string } {
  return { type: 'many', entity, field: reference };
}

/** Declares a relation to the record that a reference field of this one names. */
export function belongsTo<const Reference extends string>(
  reference: Reference,
): { readonly type: 'one'; readonly field: Reference } {
  return { type: 'one', field: reference };
}
