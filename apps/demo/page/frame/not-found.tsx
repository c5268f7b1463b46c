import type { ReactElement } from 'react';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';

/** For an address that leads nowhere; without anything around it, it is all that there is. */
export function NotFoundScreen(props: { readonly narrow?: boolean }): ReactElement {
  return (
    <Screen title={t.failure.notFound} narrow={props.narrow ?? false}>
      <p>{t.failure.notFoundBody}</p>
      <p>
        <a href="/">{t.failure.home}</a>
      </p>
    </Screen>
  );
}
