import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { DialogButton } from '../form/dialog-button.tsx';
import { navigate } from '../navigation/location.ts';
import { useOrganization } from '../organization/queries.ts';
import { announce } from '../screen/announce.tsx';
import { Menu } from '../screen/menu.tsx';
import { toErrorText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { lazily } from './lazily.tsx';
import { OnDemand } from './on-demand.tsx';

const NewOrganization = lazily(() => import('../organization/new-organization.tsx'));

/** Switches between the organizations of the user, in every tab, and creates another one. */
export function OrganizationPicker(): ReactElement {
  const { data, current, switchTo } = useOrganization();
  const name = current?.name ?? (data ? t.navigation.noOrganization : t.common.loading);
  const choose = async (id: string): Promise<void> => {
    const shown = location.pathname;
    const switched = await switchTo(id);
    if (!switched.ok) return announce(toErrorText(switched.error));
    // The screen belongs to the organization that was left, unless its user has gone elsewhere meanwhile.
    if (location.pathname === shown) navigate('/');
  };
  return (
    <Menu
      label={`${t.navigation.organization}: ${name}`}
      className="picker"
      icon={
        <>
          <span className="grow clip">{name}</span>
          <ChevronsUpDown aria-hidden />
        </>
      }
    >
      {(close) => (
        <>
          {data?.tenants.map((tenant) => (
            <button
              key={tenant.id}
              type="button"
              onClick={() => {
                close();
                void choose(tenant.id);
              }}
            >
              <span className="grow clip">{tenant.name}</span>
              {tenant.id === current?.id && <Check role="img" aria-label={t.navigation.currentOrganization} />}
            </button>
          ))}
          <DialogButton
            title={t.organization.createForm}
            content={() => (
              <OnDemand lines={2}>
                <NewOrganization />
              </OnDemand>
            )}
          >
            <Plus aria-hidden /> {t.organization.createForm}
          </DialogButton>
        </>
      )}
    </Menu>
  );
}
