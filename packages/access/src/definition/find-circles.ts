import type { AccessModel } from './access-model.ts';

/** Finds the types that inherit from each other in a circle. A type may inherit from itself: its instances nest. */
export function findCircles(entities: AccessModel['entities']): readonly string[] {
  const parents = new Map(
    Object.entries(entities).map(([type, { inherits = {} }]) => [type, parentsOf(type, inherits)]),
  );
  const circles = new Map<string, readonly string[]>();
  for (const start of parents.keys()) {
    const circle = findWayBack(start, parents);
    const name = circle?.toSorted().join() ?? '';
    if (circle && !circles.has(name)) circles.set(name, circle);
  }
  return [...circles.values()].map((circle) => {
    const [first = ''] = circle;
    return `entities: ${[...circle, first].map((type) => `\`${type}\``).join(' inherits from ')}, in a circle.`;
  });
}

function parentsOf(type: string, inherits: Readonly<Record<string, string>>): ReadonlySet<string> {
  const types = Object.keys(inherits).map((name) => name.slice(0, name.indexOf(':')));
  return new Set(types.filter((parent) => parent !== type));
}

/** Finds the shortest way from a type up to itself. */
function findWayBack(start: string, parents: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [type, way] of ways) {
    for (const parent of parents.get(type) ?? []) {
      if (parent === start) return way;
      if (!ways.has(parent)) ways.set(parent, [...way, parent]);
    }
  }
  return undefined;
}
