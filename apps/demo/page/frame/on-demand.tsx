import { Component, type ReactElement, type ReactNode, Suspense } from 'react';
import { reload } from '../navigation/location.ts';
import { Skeleton } from '../screen/skeleton.tsx';
import { t } from '../text/text.ts';
import { loadAgain } from './lazily.tsx';

/**
 * A part of a screen whose code is loaded once it is opened. Where that fails, such as offline, the part says so in its
 * own place, and offers to try again. The screen around it stays.
 */
export function OnDemand(props: {
  /** How many lines the sketch has while the code is loading; none by default. */
  readonly lines?: number;
  /** Puts the sketch or the error where the part would be, such as in its dialog. */
  readonly place?: (content: ReactNode) => ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { lines = 0, place = (content) => content, children } = props;
  return (
    <PartBoundary instead={(retry) => place(<Missing retry={retry} />)}>
      <Suspense fallback={lines > 0 && place(<Skeleton lines={lines} />)}>{children}</Suspense>
    </PartBoundary>
  );
}

class PartBoundary extends Component<
  { readonly instead: (retry: () => void) => ReactNode; readonly children: ReactNode },
  { readonly hasFailed: boolean }
> {
  override state: { readonly hasFailed: boolean } = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    const retry = (): void => {
      loadAgain();
      this.setState({ hasFailed: false });
    };
    return this.state.hasFailed ? this.props.instead(retry) : this.props.children;
  }
}

/** Where trying again does not help, such as after a new version, the page as a whole has to be loaded. */
function Missing(props: { readonly retry: () => void }): ReactElement {
  return (
    <div role="alert" className="notice bad">
      <p>{t.failure.part}</p>
      <div className="actions">
        <button type="button" onClick={props.retry}>
          {t.common.retry}
        </button>
        <button type="button" onClick={reload}>
          {t.failure.reload}
        </button>
      </div>
    </div>
  );
}
