/**
 * Returns a function that makes each name it is given distinct from those before by more than punctuation and the case
 * of letters, which generators of clients drop: it adds a number to one that is not.
 */
export function createDistinctNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    let distinct = name;
    for (let count = 2; taken.has(lettersOf(distinct)); count += 1) distinct = `${name}N${count}`;
    taken.add(lettersOf(distinct));
    return distinct;
  };
}

function lettersOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
