import pg from 'pg';

const { BOOL, INT2, INT4, OID, FLOAT4, FLOAT8 } = pg.types.builtins;

/** The parsers of the stores' statements. A type without a parser stays a text, such as a decimal, or JSON. */
const parsers = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  ...[INT2, INT4, OID, FLOAT4, FLOAT8].map((type) => [type, Number] as const),
]);

/** The app may set other parsers of pg, which the whole process shares. They apply only to the app's statements. */
export const ownTypes: pg.CustomTypesConfig = { getTypeParser: (oid: number) => parsers.get(oid) ?? String };
