import { Component, type ReactElement, type ReactNode, useEffect } from 'react';
import { mayReload, reload } from '../navigation/location.ts';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';

interface Failed {
  readonly at: string;
  readonly error: unknown;
}

/** Shows a way on where a screen fails, instead of nothing. It tries again at another address. */
export class ErrorBoundary extends Component<
  { readonly place: string; readonly narrow?: boolean; readonly children: ReactNode },
  { readonly failed: Failed | null }
> {
  override state: { readonly failed: Failed | null } = { failed: null };

  static getDerivedStateFromError(error: unknown): { readonly failed: Failed } {
    return { failed: { at: location.pathname, error } };
  }

  override render(): ReactNode {
    const { place, narrow = false, children } = this.props;
    const { failed } = this.state;
    if (failed?.at !== place) return children;
    const isWaiting = isAboutCode(failed.error) && mayReload();
    return (
      <Screen title={t.failure.title} narrow={narrow}>
        {isWaiting ? <ServerAway /> : <p role="alert">{t.failure.body}</p>}
        <p className="more">
          <button className="primary" onClick={reload}>
            {t.failure.reload}
          </button>
          <a href="/">{t.failure.home}</a>
        </p>
      </Screen>
    );
  }
}

/** Whether the code of a screen could not be loaded, as browsers word it, each in its own way. */
function isAboutCode(error: unknown): boolean {
  return error instanceof TypeError && /import/i.test(error.message);
}

const pauseMs = 2000;

/**
 * Loads the page again once the server answers. Browsers remember that code could not be loaded, and do not ask for it
 * again before.
 */
function ServerAway(): ReactElement {
  useEffect(() => {
    const timer = setInterval(() => {
      void fetch('/', { method: 'HEAD' }).then(
        ({ ok }) => ok && reload(),
        () => {},
      );
    }, pauseMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p role="alert">
      {t.errors.NETWORK_FAILED} {t.common.retrying}
    </p>
  );
}
