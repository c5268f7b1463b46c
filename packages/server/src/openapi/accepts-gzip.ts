/** Says whether a client accepts gzip: by name or by `*`, with a weight above 0 (RFC 9110 section 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  const codings = (header ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
  return weights.get('gzip') ?? weights.get('*') ?? false;
}
