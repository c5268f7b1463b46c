import { Component, type ReactNode } from 'react';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';

/** Shows a way on where a screen fails, instead of nothing. It tries again at another address. */
export class ErrorBoundary extends Component<
  { readonly place: string; readonly children: ReactNode },
  { readonly failedAt: string | null }
> {
  override state = { failedAt: null };

  static getDerivedStateFromError(): { readonly failedAt: string } {
    return { failedAt: location.pathname };
  }

  override render(): ReactNode {
    if (this.state.failedAt !== this.props.place) return this.props.children;
    return (
      <Screen title={t.failure.title} narrow>
        <p role="alert">{t.failure.body}</p>
        <p className="more">
          <button className="primary" onClick={() => location.reload()}>
            {t.failure.reload}
          </button>
          <a href="/">{t.failure.home}</a>
        </p>
      </Screen>
    );
  }
}
