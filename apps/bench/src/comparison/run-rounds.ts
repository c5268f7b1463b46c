import type { Sample } from './sample.ts';

/** One of the two that are compared: how it is put under load for a while. */
export type Side = (seconds: number) => Promise<Sample>;

/** How long and how often is measured. */
export interface RoundSettings {
  readonly rounds: number;
  readonly seconds: number;
}

/** The samples of two sides, taken in turns. */
export interface Rounds {
  readonly floor: readonly Sample[];
  readonly ours: readonly Sample[];
  /** Not measured, but what fails here counts. */
  readonly warmUp: readonly Sample[];
}

/** Long enough for the optimizing compiler to have seen everything, where there are thousands of requests a second. */
const defaultWarmUpSeconds = 3;

/** Warms both sides up, then measures them in turns, so that a machine that gets slower slows both. */
export async function runRounds(
  sides: { readonly floor: Side; readonly ours: Side },
  { rounds, seconds }: RoundSettings,
  warmUpSeconds: number = defaultWarmUpSeconds,
): Promise<Rounds> {
  const warmUp = [await sides.floor(warmUpSeconds), await sides.ours(warmUpSeconds)];
  const floor: Sample[] = [];
  const ours: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    floor.push(await sides.floor(seconds));
    ours.push(await sides.ours(seconds));
  }
  return { floor, ours, warmUp };
}
