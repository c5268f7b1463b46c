import { Check, Minus } from 'lucide-react';
import type { ReactElement } from 'react';
import { entitlementNames, entitlements, roles } from '../access/model.ts';
import { entitlementName, roleName } from '../text/names.ts';
import { t } from '../text/text.ts';

/** The entitlements of each role, one table for each kind of resource. */
export default function Roles(): ReactElement {
  return (
    <>
      <p className="lead">{t.organization.rolesLead}</p>
      <div className="halves">
        {Object.entries(roles).map(([type, names]) => (
          <section key={type} aria-label={t.names.types[type]} className="card">
            <div
              className="table-scroller"
              tabIndex={0}
              role="region"
              aria-label={`${t.organization.parts.roles}: ${t.names.types[type]}`}
            >
              <table className="roles">
                <thead>
                  <tr>
                    <th scope="col">{t.names.types[type]}</th>
                    {names.map((role) => (
                      <th key={role} scope="col">
                        {roleName(role)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {entitlementNames
                    .filter((entitlement) => entitlement.startsWith(`${type}:`))
                    .map((entitlement) => (
                      <tr key={entitlement}>
                        <th scope="row">{entitlementName(entitlement)}</th>
                        {names.map((role) => (
                          <td key={role}>
                            <Mark isSet={entitlements[entitlement].includes(role)} />
                          </td>
                        ))}
                      </tr>
                    ))}
                </tbody>
              </table>
            </div>
          </section>
        ))}
      </div>
    </>
  );
}

function Mark(props: { readonly isSet: boolean }): ReactElement {
  return props.isSet ? (
    <Check role="img" aria-label={t.organization.allowedMark} className="good" />
  ) : (
    <Minus role="img" aria-label={t.organization.deniedMark} className="muted" />
  );
}
