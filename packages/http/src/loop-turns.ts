/**
 * How many turns of the event loop are left to new connections at most after a long one: the system hands over one per
 * turn, so that those who connect would wait for as many long turns as there are connections before theirs.
 */
const maxRestingTurns = 32;

let connections = 0;

/** Tells that a client has connected. */
export function noteConnection(): void {
  connections += 1;
}

/**
 * Calls back in a later turn of the event loop, once no client connects any more. For what has taken milliseconds of this
 * turn and will do so again.
 */
function afterConnections(begin: () => void): void {
  const rest = (turns: number): void => {
    const before = connections;
    schedule(() => {
      if (connections === before || turns === 0) begin();
      else rest(turns - 1);
    });
  };
  // The turn that ends now may have begun before anybody could connect.
  schedule(() => rest(maxRestingTurns));
}

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop that no other caller of this function has. For steps that take milliseconds: many
 * that become possible at the same moment then take one turn each, and whatever else waits for the loop runs between
 * them.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) schedule(beginNext);
  });
}

/** Not every runtime has `setImmediate`. */
const schedule: (next: () => void) => unknown = globalThis.setImmediate ?? ((next) => setTimeout(next));

function beginNext(): void {
  waiting[0]?.();
  afterConnections(() => {
    waiting.shift();
    if (waiting.length > 0) beginNext();
  });
}
