/** Represents an invalid configuration. Lists every problem found; none contains a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** One sentence each, starting with the name of the setting. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: { readonly cause?: unknown }) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'), options);
    this.problems = problems;
  }
}
