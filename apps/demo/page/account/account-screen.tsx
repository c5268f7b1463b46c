import type { ReactElement } from 'react';
import { DeviceList } from '../device/device-list.tsx';
import { hasFeature } from '../features.ts';
import { ChangePassword } from '../password/change-password.tsx';
import { Screen } from '../screen/screen.tsx';
import { SecondFactor } from '../second-factor/second-factor.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Identities } from './identities.tsx';

/** All that belongs to somebody's account. */
export function AccountScreen(): ReactElement {
  return (
    <Screen title="Account">
      <div className="cards">
        <DeviceList />
        {hasFeature('mfa') && <SecondFactor />}
        <Identities />
        <ChangePassword />
        <DeleteAccount />
      </div>
    </Screen>
  );
}
