import { Component, type ReactElement, type ReactNode, Suspense } from 'react';
import { reload } from '../navigation/location.ts';
import { Skeleton } from '../screen/skeleton.tsx';
import { t } from '../text/text.ts';

/**
 * A part of a screen whose code is loaded once it is opened. Where that fails, such as offline, the part says so in its
 * own place, and the screen around it stays.
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
    <PartBoundary instead={place(<Missing />)}>
      <Suspense fallback={lines > 0 && place(<Skeleton lines={lines} />)}>{children}</Suspense>
    </PartBoundary>
  );
}

class PartBoundary extends Component<
  { readonly instead: ReactNode; readonly children: ReactNode },
  { readonly hasFailed: boolean }
> {
  override state: { readonly hasFailed: boolean } = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}

/** Browsers remember that code could not be loaded: only the page as a whole can try again. */
function Missing(): ReactElement {
  return (
    <div role="alert" className="notice bad">
      <p>{t.failure.part}</p>
      <button type="button" onClick={reload}>
        {t.failure.reload}
      </button>
    </div>
  );
}
