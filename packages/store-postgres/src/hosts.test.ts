import { describe, expect, it } from 'vitest';
import pg from 'pg';
import { parseHosts } from './hosts.ts';

/** Returns the host, port and database of node-postgres for each server of a URL. */
function serversOf(url: string): readonly string[] {
  return parseHosts(url).map((host) => {
    const client = new pg.Client(host);
    return `${client.user}:${client.password} ${client.database} ${client.host} ${client.port}`;
  });
}

describe('the servers of a URL', () => {
  it.each<[string, readonly string[]]>([
    ['postgres://me:pw@a/app', ['a 5432']],
    ['postgres://me:pw@a:5433/app?application_name=x', ['a 5433']],
    ['postgres://me:pw@a,b/app?target_session_attrs=read-write', ['a 5432', 'b 5432']],
    ['postgresql://me:pw@a:5433,b,c:5434/app?target_session_attrs=primary', ['a 5433', 'b 5432', 'c 5434']],
    ['postgres://me:pw@[::1]:5433,[2001:db8::2],127.0.0.1/app', ['::1 5433', '2001:db8::2 5432', '127.0.0.1 5432']],
    ['postgres://me:pw@%2Fvar%2Frun:5433,b/app', ['/var/run 5433', 'b 5432']],
    ['postgres://me:pw@c/app?host=a,b', ['a 5432', 'b 5432']],
    ['postgres://me:pw@c/app?host=a,::1,/var/run&port=5433,5434,5435', ['a 5433', '::1 5434', '/var/run 5435']],
    ['postgres://me:pw@a,b/app?port=5433', ['a 5433', 'b 5433']],
  ])('are read from %s as libpq reads them', (url, servers) => {
    expect(serversOf(url)).toEqual(servers.map((server) => `me:pw app ${server}`));
  });

  it('share credentials, database and parameters, percent-encoded where necessary', () => {
    const url = 'postgres://m%40e:p%2Fw%2C%25@a,b:5433/my%20app?application_name=x%26y&options=-c%20work_mem%3D1MB';
    expect(serversOf(url)).toEqual(['m@e:p/w,% my app a 5432', 'm@e:p/w,% my app b 5433']);
    const clients = parseHosts(url).map((host) => new pg.Client(host));
    const parameters = { application_name: 'x&y', options: '-c work_mem=1MB' };
    for (const client of clients) expect(client).toMatchObject({ connectionParameters: parameters });
  });

  it.each([
    ['postgres://a,b/app?port=1,2,3', /names 2 hosts and 3 ports/],
    ['postgres://a,b/app?target_session_attrs=standby', /target_session_attrs must be read-write or primary/],
    ['postgres://a/app?target_session_attrs=any', /target_session_attrs must be read-write or primary/],
  ])('are refused in %s', (url, problem) => {
    expect(() => parseHosts(url)).toThrow(problem);
  });
});
