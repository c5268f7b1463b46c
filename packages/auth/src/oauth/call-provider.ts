/** What one call to a provider may cost. */
export interface CallLimits {
  /** From the first byte sent to the last one received. */
  readonly timeoutMs: number;
  /** How many bytes an answer may have, as it is after decompression. */
  readonly maxBytes: number;
}

/** What is sent to a provider. */
export interface ProviderRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

/**
 * Calls a provider and returns the JSON that it answers. Redirects are not followed, and nothing is waited for or kept
 * beyond the limits: an answer is somebody else's.
 *
 * @throws Error that names neither what was sent nor what was answered, where there is no JSON or another status than 2xx
 */
export async function callProvider(url: string, request: ProviderRequest, limits: CallLimits): Promise<unknown> {
  const response = await fetch(url, {
    method: request.method ?? 'GET',
    headers: { Accept: 'application/json', 'User-Agent': 'x-auth', ...request.headers },
    ...(request.body && { body: request.body }),
    redirect: 'error',
    signal: AbortSignal.timeout(limits.timeoutMs),
  });
  const text = await readText(response, limits.maxBytes);
  if (!response.ok) throw new Error(`The provider answered with status ${response.status}.`);
  return parseJson(text);
}

async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`The provider answered with more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The error of `JSON.parse` quotes what it read. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The provider did not answer with JSON.');
  }
}
