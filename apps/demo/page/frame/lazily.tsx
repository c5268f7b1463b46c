import { type ComponentType, lazy, type ReactElement } from 'react';

/** What an attempt to load the code of a component resolves to. */
interface Code<Props extends object> {
  readonly default: ComponentType<Props>;
}

/** For each component whose code could not be loaded, what has it loaded once more. */
const failed = new Set<() => void>();

/**
 * Makes a component whose code is loaded when it is first shown. Where that fails, it throws until {@link loadAgain} is
 * called: browsers remember that a file could not be loaded, and React that a component could not.
 */
export function lazily<Props extends object>(load: () => Promise<Code<Props>>): ComponentType<Props> {
  let attempts = 0;
  const attempt = (how: () => Promise<Code<Props>>): ComponentType<Props> =>
    lazy(async () => {
      try {
        return await how();
      } catch (error) {
        failed.add(() => {
          Latest = attempt(() => loadElsewhere<Props>(error, ++attempts));
        });
        throw error;
      }
    });
  let Latest = attempt(load);
  return (props: Props): ReactElement => <Latest {...props} />;
}

/** Has what could not be loaded loaded once more, when it is shown again. */
export function loadAgain(): void {
  for (const retry of failed) retry();
  failed.clear();
}

/**
 * Loads the file that an error names by an address that the browser does not know, as its server ignores the query.
 *
 * @throws that error, where the browser does not say which file it is: then only the page as a whole can be loaded again
 */
async function loadElsewhere<Props extends object>(error: unknown, attempt: number): Promise<Code<Props>> {
  const [address = ''] = /https?:\/\/\S+/.exec(String(error)) ?? [];
  if (!address.startsWith(`${location.origin}/assets/`)) throw error;
  const file = new URL(address);
  file.searchParams.set('attempt', String(attempt));
  return (await import(/* @vite-ignore */ file.href)) as Code<Props>;
}
