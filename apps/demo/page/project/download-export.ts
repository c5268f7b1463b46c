import type { ClientError, ClientResult } from '@x/client';
import { client } from '../client.ts';

/** Has the server write a project down as CSV, which the client would not take for an answer, and hands it to the browser. */
export async function downloadExport(id: string, name: string): Promise<ClientResult<unknown>> {
  // Refreshes the JWT where it is over.
  const session = await client.auth.getSession();
  if (!session.ok) return session;
  const headers = { 'X-APP-Request': '1' };
  const response = await fetch(`/api/projects/${id}/export`, { method: 'POST', headers });
  if (!response.ok) return { ok: false, ...((await response.json()) as { readonly error: ClientError }) };
  save(`${name}.csv`, await response.blob());
  return session;
}

function save(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
