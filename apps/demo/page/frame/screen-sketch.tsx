import type { ReactElement } from 'react';
import { Skeleton } from '../screen/skeleton.tsx';
import { t } from '../text/text.ts';

/** Shown while the code of a screen is loading. */
export function ScreenSketch(): ReactElement {
  return (
    <main className="screen">
      <h1 className="unseen">{t.common.loading}</h1>
      <Skeleton lines={5} />
    </main>
  );
}
