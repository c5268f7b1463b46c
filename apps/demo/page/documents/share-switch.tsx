import type { ClientResult } from '@x/client';
import { type ReactElement, useId } from 'react';
import { useOrganization } from '../organization/queries.ts';
import { announce } from '../screen/announce.tsx';
import { toErrorText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** Shares a document with the organization, or makes it private; says who can read it then. */
export function ShareSwitch(props: {
  readonly title: string;
  readonly isShared: boolean;
  readonly share: (isShared: boolean) => Promise<ClientResult<unknown>>;
}): ReactElement {
  const { title, isShared, share } = props;
  const organization = useOrganization().current?.name ?? t.access.theOrganization;
  const id = useId();
  const onChange = async (wanted: boolean): Promise<void> => {
    const result = await share(wanted);
    if (!result.ok) return announce(toErrorText(result.error));
    const text = wanted ? t.documents.sharedNow(title) : t.documents.unsharedNow(title);
    announce(text, () => void share(!wanted));
  };
  return (
    <div className="share">
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          aria-label={t.documents.share(title)}
          aria-describedby={id}
          checked={isShared}
          onChange={({ target }) => void onChange(target.checked)}
        />
        {t.documents.shared}
      </label>
      <span id={id} className="hint clamp">
        {isShared ? t.documents.readBy(organization) : t.documents.readByYou}
      </span>
    </div>
  );
}
