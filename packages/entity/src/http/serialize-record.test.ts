import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toIsoText } from './serialize-record.ts';

it('writes a date as `toISOString` does', () => {
  const edges = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'].map(
    (text) => new Date(text),
  );
  for (const edge of edges) expect(toIsoText(edge)).toBe(edge.toISOString());
  const [min, max] = edges;
  const moments = fc.date({ ...(min && { min }), ...(max && { max }), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (moment) => toIsoText(moment) === moment.toISOString()),
    { numRuns: 20_000 },
  );
});
