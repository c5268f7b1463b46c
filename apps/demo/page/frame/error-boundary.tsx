import { Component, type ReactElement, type ReactNode, useEffect } from 'react';
import { mayReload, reload } from '../navigation/location.ts';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { loadAgain } from './lazily.tsx';

interface Failed {
  readonly at: string;
  readonly error: unknown;
}

interface State {
  readonly failed: Failed | null;
  /** Where the code of a screen was loaded again. */
  readonly retriedAt: string | null;
}

/** Shows a way on where a screen fails, instead of nothing. It tries again at another address. */
export class ErrorBoundary extends Component<
  { readonly place: string; readonly narrow?: boolean; readonly children: ReactNode },
  State
> {
  override state: State = { failed: null, retriedAt: null };

  static getDerivedStateFromError(error: unknown): Pick<State, 'failed'> {
    return { failed: { at: location.pathname, error } };
  }

  override componentDidUpdate(): void {
    const { failed } = this.state;
    if (failed !== null && failed.at !== this.props.place) this.setState({ failed: null });
  }

  readonly retry = (): void => {
    loadAgain();
    this.setState({ failed: null, retriedAt: this.props.place });
  };

  override render(): ReactNode {
    const { place, narrow = false, children } = this.props;
    const { failed, retriedAt } = this.state;
    if (failed?.at !== place) return children;
    const isWaiting = isAboutCode(failed.error) && mayReload();
    return (
      <Screen title={t.failure.title} narrow={narrow}>
        {isWaiting ? (
          <ServerAway onBack={retriedAt === place ? reload : this.retry} />
        ) : (
          <p role="alert">{t.failure.body}</p>
        )}
        <p className="actions">
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

/** Tries again once the server answers. */
function ServerAway(props: { readonly onBack: () => void }): ReactElement {
  const { onBack } = props;
  useEffect(() => {
    const timer = setInterval(() => {
      void fetch('/', { method: 'HEAD' }).then(
        ({ ok }) => ok && onBack(),
        () => {},
      );
    }, pauseMs);
    return () => clearInterval(timer);
  }, [onBack]);
  return (
    <p role="alert">
      {t.errors.NETWORK_FAILED} {t.common.retrying}
    </p>
  );
}
