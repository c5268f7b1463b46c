/** Represents a configuration that can't be started with; lists every problem that was found, none with a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** One sentence each, starting with the name of the setting. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: { readonly cause?: unknown }) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'), options);
    this.problems = problems;
  }
}
