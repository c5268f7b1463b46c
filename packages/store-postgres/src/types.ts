import pg from 'pg';

const { BOOL, INT2, INT4, OID, FLOAT4, FLOAT8, JSON: json, JSONB } = pg.types.builtins;

/** How the results of our own statements are parsed; what is missing stays a text, such as a decimal. */
const parsers = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  ...[INT2, INT4, OID, FLOAT4, FLOAT8].map((type) => [type, Number] as const),
  ...[json, JSONB].map((type) => [type, (text: string): unknown => JSON.parse(text)] as const),
]);

/** The app may give pg other parsers, which it shares with all of the process. They are for the app's statements. */
export const ownTypes: pg.CustomTypesConfig = { getTypeParser: (oid: number) => parsers.get(oid) ?? String };

/** The same, but the texts of a result are bounded, and JSON is one. */
export const ownTypesWithJsonAsText: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => (oid === json || oid === JSONB ? String : (parsers.get(oid) ?? String)),
};
