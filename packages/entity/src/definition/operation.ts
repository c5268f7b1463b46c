/** The operations on the records of an entity. */
export type Operation = 'list' | 'get' | 'create' | 'update' | 'delete' | 'bulk';

/** Every operation. */
export const operations: readonly Operation[] = ['list', 'get', 'create', 'update', 'delete', 'bulk'];
