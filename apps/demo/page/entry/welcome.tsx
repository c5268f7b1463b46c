import { lazy, type ReactElement, type ReactNode, Suspense } from 'react';

const Pitch = lazy(() => import('./pitch.tsx'));

/** Says what Tracker is beside the form that lets people in. */
export function Welcome(props: { readonly children: ReactNode }): ReactElement {
  return (
    <div className="welcome">
      {props.children}
      <Suspense fallback={<div className="pitch" />}>
        <Pitch />
      </Suspense>
    </div>
  );
}
