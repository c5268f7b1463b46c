import type { ReactElement } from 'react';
import { usePlace } from '../navigation/location.ts';
import { matchPath } from '../navigation/match.ts';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { sources } from './sources.ts';

/** The files that declare the open screen and its data, and the reference of the API that it uses. */
export function Source(): ReactElement {
  const { pathname } = usePlace();
  const name = matchPath(pathname)?.name;
  const { screen, data, api } = (name && sources[name]) ?? { screen: 'page/app.tsx', data: [], api: [] };
  return (
    <dl className="claims">
      <dt>{tools.developer.screen}</dt>
      <dd>
        <code>apps/demo/{screen}</code>
      </dd>
      {data.length > 0 && (
        <>
          <dt>{tools.developer.data}</dt>
          <dd>
            {data.map((file) => (
              <div key={file}>
                <code>apps/demo/{file}</code>
              </div>
            ))}
          </dd>
        </>
      )}
      <dt>{t.navigation.apiDocs}</dt>
      <dd className="facts">
        <a href="/api/docs">{tools.developer.wholeApi}</a>
        {api.map((part) => (
          <a key={part} href={`/api/docs#${part}`}>
            {part}
          </a>
        ))}
      </dd>
    </dl>
  );
}
