import type { AccessCheck } from '@x/access/access-set';
import { useAccess } from '@x/client/react';
import type { ReactElement } from 'react';
import type { definition } from '../../src/access/definition.ts';
import { client } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { toDenialText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** The name of an entitlement. */
export type Entitlement = keyof (typeof definition)['entitlements'];

/** Whether the user may do something; unknown before the server has said so, when controls wait. */
export interface Verdict {
  readonly check: AccessCheck | null;
  readonly entitlement: Entitlement;
  /** As `type:id`. */
  readonly resource: string;
}

/** Whether a control may act: one without a verdict may, one whose verdict is still open may not. */
export function isAllowed(verdict: Verdict | undefined): boolean {
  return verdict === undefined || verdict.check?.allowed === true;
}

/** Asks whether the user may do something in their organization. */
export function useVerdict(entitlement: Entitlement): Verdict {
  const { status, check } = useAccess(client);
  const organizationId = useOrganizationId();
  return {
    check: status === 'loading' ? null : check(entitlement),
    entitlement,
    resource: `organization:${organizationId}`,
  };
}

/** Says what the server has sent with a record. */
export function verdictOn<Name extends Entitlement>(
  type: 'project' | 'task',
  record: { readonly id: string; readonly __access: { readonly [Each in Name]: AccessCheck } },
  entitlement: Name,
): Verdict {
  return { check: record.__access[entitlement], entitlement, resource: `${type}:${record.id}` };
}

/** Says why something is not allowed, what would allow it, and where that is explained; nothing if it is allowed. */
export function Denial(props: { readonly of: Verdict; readonly id?: string }): ReactElement | null {
  const { check, entitlement, resource } = props.of;
  if (!check || check.allowed) return null;
  const text = toDenialText(check);
  const query = new URLSearchParams({ entitlement, resource });
  return (
    <span className="denial">
      <span id={props.id} className="hint">
        {text}
      </span>{' '}
      <a href={`/access?${query}`} aria-label={t.common.whyLabel(text)}>
        {t.common.why}
      </a>
    </span>
  );
}
