/** Whose requests count together. */
export interface Client {
  /** Null for an anonymous caller. */
  readonly caller: string | null;
  readonly network: string;
}

/** How many requests may be at work. */
export interface PlaceBounds {
  /** For one caller, wherever the requests come from. */
  readonly perCaller: number;
  /** For one network, whoever sends them. */
  readonly perNetwork: number;
  /** What a client has at most who is said to have few. */
  readonly few: number;
}

/** The requests at work whose client is known. Each has a place of its caller, if it has one, and one of its network. */
export class Places<Item> {
  readonly #bounds: PlaceBounds;
  readonly #clients = new Map<Item, Client>();
  /** The anonymous callers of a network count together. */
  readonly #byCaller = new Map<string, number>();
  readonly #byNetwork = new Map<string, number>();

  constructor(bounds: PlaceBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#clients.size;
  }

  hasFree({ caller, network }: Client): boolean {
    if ((this.#byNetwork.get(network) ?? 0) >= this.#bounds.perNetwork) return false;
    return caller === null || (this.#byCaller.get(caller) ?? 0) < this.#bounds.perCaller;
  }

  /** Says whether a caller, or all anonymous ones of a network, have few requests at work. */
  hasFew(client: Client): boolean {
    return (this.#byCaller.get(keyOf(client)) ?? 0) < this.#bounds.few;
  }

  /** Gives a request its places, even if none is free. */
  take(client: Client, item: Item): void {
    this.#clients.set(item, client);
    add(this.#byNetwork, client.network, 1);
    add(this.#byCaller, keyOf(client), 1);
  }

  release(item: Item): void {
    const client = this.#clients.get(item);
    if (client === undefined) return;
    this.#clients.delete(item);
    add(this.#byNetwork, client.network, -1);
    add(this.#byCaller, keyOf(client), -1);
  }

  taken(): readonly { readonly client: Client; readonly item: Item }[] {
    return [...this.#clients].map(([item, client]) => ({ item, client }));
  }
}

/** No network is written like the id of a user. */
function keyOf({ caller, network }: Client): string {
  return caller ?? network;
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
