import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, although they are small. */
const long: readonly RegExp[] = [
  /\/packages\/store-\w+\/src\/(contract[\w-]*|entity-evolution|evolution-chains)(\.full)?\.test\.ts$/,
  /\/packages\/store-postgres\/src\/bounded-queries\.full\.test\.ts$/,
  /\/apps\/demo\/test\/(client|page)\/(tabs|journey|devices|walk|keyboard|mended|entry|confirmation)\.full\.test\.ts$/,
  /\/apps\/demo\/test\/(openapi\/answers|client\/office|process\/head)\.test\.ts$/,
  /\/packages\/tests\/auth\/(password\/reset-races|refresh-token\/attack-chains)\.full\.test\.ts$/,
  /\/packages\/tests\/packed\/[\w-]+\.full\.test\.ts$/,
];

/**
 * Begins with the files that take long, lest one core waits at the end while the other has a minute left. vitest knows
 * how long a file took where it has run before, and takes the largest for the longest in a new checkout.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => long.some((pattern) => pattern.test(moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
