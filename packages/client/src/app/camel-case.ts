/** The name in code for a name in a path: `bulk-complete` becomes `bulkComplete`. A dash before a digit stays. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? Tail extends Capitalize<Tail>
    ? `${Head}-${CamelCase<Tail>}`
    : `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
