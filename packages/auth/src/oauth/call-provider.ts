/** The limits on one call to a provider. */
export interface CallLimits {
  /** From the first byte sent to the last one received. */
  readonly timeoutMs: number;
  /** The size limit of a response, after decompression. */
  readonly maxBytes: number;
}

/** A request to a provider. */
export interface ProviderRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

/**
 * Calls a provider and returns the JSON of its response. Redirects are not followed. The limits bound how long it waits
 * and how much it reads, because a provider's response cannot be trusted.
 *
 * @throws Error if the response is not JSON or the status is not 2xx; it contains nothing of the request or the
 * response
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
  if (!response.ok) {
    throw new Error(
      `The provider answered with status ${response.status}: check clientId, clientSecret and its endpoints, and that redirectUrl is registered there.`,
    );
  }
  return parseJson(text);
}

async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new Error(
        `The provider answered with more than ${maxBytes} bytes, which are not read: check its endpoints.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The error of `JSON.parse` quotes its input, so it is dropped. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The provider did not answer with JSON: check its endpoints.');
  }
}
