import fc from 'fast-check';
import type { JsonObject } from '../values.ts';

/** Generates JSON objects, nested, with members and texts of any script. */
export const jsonObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 }), {
    noNullPrototype: true,
  })
  .map((generated) => JSON.stringify(generated))
  // `-0` has no JSON of its own, and `__proto__` never gets past the parsers above the stores.
  .filter((text) => !text.includes('"__proto__"'))
  .map(parseObject);

function parseObject(text: string): JsonObject {
  const parsed: JsonObject = JSON.parse(text);
  return parsed;
}
