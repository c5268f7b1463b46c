import { useQuery } from '@x/client/react';
import { type ReactElement, useEffect, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { Loaded } from '../screen/loaded.tsx';
import { formatMoment } from '../screen/wording.tsx';
import { tools } from '../text/tools.ts';
import { Json } from './json.tsx';

const session = cache.query(['sessions'], (_: void, options) => client.auth.getSession(options));

/** The public keys that JWTs are verified with; the first one signs. */
const keys = cache.query(['sessions'], (_: void, options) =>
  client.request<{ readonly keys: readonly { readonly alg: string; readonly kid: string }[] }>(
    '/api/auth/.well-known/jwks.json',
    options,
  ),
);

/** What the server says of the session, and the JWT as far as scripts may know it. */
export function Session(): ReactElement {
  const asked = useQuery(session, undefined);
  return (
    <>
      <p className="hint">{tools.developer.jwtHidden}</p>
      <Loaded of={asked}>
        {(said) => {
          if (!said) return <p className="empty">{tools.developer.noSession}</p>;
          const { id, user, expiresAt } = said;
          return (
            <>
              <Claims
                claims={[
                  ['sub', user.id],
                  ['sid', id],
                  ['email', user.email],
                  ['emailVerified', String(user.emailVerified)],
                  ['role', user.role],
                  ['tenantId', user.tenantId ?? 'null'],
                ]}
              >
                <dt>exp</dt>
                <dd>
                  <Expiry key={expiresAt} at={expiresAt} onOver={() => void asked.reload()} />
                </dd>
              </Claims>
              <h3>{tools.developer.answer}</h3>
              <Json value={said} label={tools.developer.answer} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** The header and the payload of the JWT. */
function Claims(props: {
  readonly claims: readonly (readonly [string, string])[];
  readonly children: ReactElement | readonly ReactElement[];
}): ReactElement {
  const { data } = useQuery(keys, undefined);
  const [key] = data?.keys ?? [];
  return (
    <>
      <h3>{tools.developer.header}</h3>
      <dl className="claims">
        <dt>alg</dt>
        <dd>{key?.alg}</dd>
        <dt>kid</dt>
        <dd>{key?.kid}</dd>
      </dl>
      <h3>{tools.developer.payload}</h3>
      <dl className="claims">
        {props.claims.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
        {props.children}
      </dl>
    </>
  );
}

/** How long the JWT is still valid, second by second. */
function Expiry(props: { readonly at: string; readonly onOver: () => void }): ReactElement {
  const { at, onOver } = props;
  const [left, setLeft] = useState(() => secondsUntil(at));
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsUntil(at)), 1000);
    return () => clearInterval(timer);
  }, [at]);
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) onOver();
    // Once it is over, and not again with every function that is given.
  }, [isOver]);
  return (
    <>
      {formatMoment(at)}{' '}
      <span className="hint">{isOver ? tools.developer.expired : tools.developer.validFor(left)}</span>
    </>
  );
}

function secondsUntil(at: string): number {
  return Math.ceil((new Date(at).getTime() - Date.now()) / 1000);
}
