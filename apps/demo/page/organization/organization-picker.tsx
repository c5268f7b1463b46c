import { type ReactElement, useId } from 'react';
import { client } from '../client.ts';
import { useLoad } from '../load/use-load.ts';

/** Moves somebody who is in several organizations from one to another, in every tab. */
export function OrganizationPicker(props: { readonly currentId: string }): ReactElement | null {
  const { value } = useLoad('records', client.auth.tenants.list);
  const id = useId();
  const [only, ...others] = value?.tenants ?? [];
  if (others.length === 0) return only ? <span>{only.name}</span> : null;
  return (
    <>
      <label htmlFor={id} className="hint">
        Organization
      </label>
      <select
        id={id}
        value={props.currentId}
        onChange={(event) => void client.auth.tenants.switch({ tenantId: event.target.value })}
      >
        {value?.tenants.map((tenant) => (
          <option key={tenant.id} value={tenant.id}>
            {tenant.name}
          </option>
        ))}
      </select>
    </>
  );
}
