import type { ReactElement } from 'react';
import { useOrganizationId } from '../client/queries.ts';
import { t } from '../text/text.ts';

/** Says once to those who only belong to the organization who can do more, and leads to why. */
export function WhoManages(props: { readonly text: string }): ReactElement {
  const { text } = props;
  const resource = `organization:${useOrganizationId()}`;
  const question = new URLSearchParams({ entitlement: 'organization:manage', resource });
  return (
    <p className="hint">
      {text}{' '}
      <a href={`/access?${question}`} aria-label={t.common.whyLabel(text)}>
        {t.common.why}
      </a>
    </p>
  );
}
