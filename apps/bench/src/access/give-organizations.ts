import Database from 'better-sqlite3';
import pg from 'pg';

const insert = `
  INSERT INTO access_role_assignments (user_id, resource_type, resource_id, role) VALUES ($1, 'organization', $2, 'owner')`;

/** Makes users owners of organizations of a tree, the first one of the first, and so on. */
export async function giveOrganizations(url: string, userIds: readonly string[], organizations: number): Promise<void> {
  const grants = userIds.map((userId, index) => [userId, `organization-${index % organizations}`]);
  if (url.startsWith('file:')) {
    const database = new Database(url.slice('file:'.length));
    const statement = database.prepare<string[]>(insert.replaceAll(/\$\d/g, '?'));
    for (const grant of grants) statement.run(...grant);
    database.close();
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  for (const grant of grants) await client.query(insert, grant);
  await client.end();
}
