/** The name that code has for one of a path: `bulk-complete` is `bulkComplete`. A dash before a digit stays. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? Tail extends Capitalize<Tail>
    ? `${Head}-${CamelCase<Tail>}`
    : `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
