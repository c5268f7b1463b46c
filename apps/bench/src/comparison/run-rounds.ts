import type { Sample } from './sample.ts';

/** One of those that are compared: how it is put under load for a while. */
export type Side = (seconds: number) => Promise<Sample>;

/** What is compared with ours: a floor, and in some rows the same work by hand, too. */
export interface Sides {
  readonly floor: Side;
  readonly byHand?: Side;
  readonly ours: Side;
}

/** How long and how often is measured. */
export interface RoundSettings {
  readonly rounds: number;
  readonly seconds: number;
}

/** The samples of all sides, taken in turns. */
export interface Rounds {
  readonly floor: readonly Sample[];
  /** None where there is no such side. */
  readonly byHand: readonly Sample[];
  readonly ours: readonly Sample[];
  /** Not measured, but what fails here counts. */
  readonly warmUp: readonly Sample[];
}

/** Long enough for the optimizing compiler to have seen everything, where there are thousands of requests a second. */
const defaultWarmUpSeconds = 1.5;

/** Warms every side up, then measures them in turns, so that a machine that gets slower slows all. */
export async function runRounds(
  { floor, byHand, ours }: Sides,
  { rounds, seconds }: RoundSettings,
  warmUpSeconds: number = defaultWarmUpSeconds,
): Promise<Rounds> {
  const taken = { floor: [] as Sample[], byHand: [] as Sample[], ours: [] as Sample[], warmUp: [] as Sample[] };
  for (const side of [floor, byHand, ours]) if (side) taken.warmUp.push(await side(warmUpSeconds));
  for (let round = 0; round < rounds; round += 1) {
    taken.floor.push(await floor(seconds));
    if (byHand) taken.byHand.push(await byHand(seconds));
    taken.ours.push(await ours(seconds));
  }
  return taken;
}
