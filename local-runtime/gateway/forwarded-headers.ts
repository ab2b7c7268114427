/** Headers that concern one connection (RFC 9110, 7.6.1); `expect` is met by the gateway itself. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a client's `Connection` header cannot remove: without them it would be another request. */
const KEPT: ReadonlySet<string> = new Set(['content-length', 'host', 'traceparent']);

const REQUEST_ID = 'x-request-id';

/** The headers of a request, names and values in turn, as the slot gets them. */
export function toRequestHeaders(raw: readonly string[], requestId: string): readonly string[] {
  return [...endToEnd(raw, REQUEST_ID), REQUEST_ID, requestId];
}

/** The headers of a reply, names and values in turn, as the client gets them. */
export function toReplyHeaders(
  raw: readonly string[],
  requestId: string,
  isLast: boolean,
): readonly string[] {
  const headers = endToEnd(raw);
  const hasId = raw.some((name, index) => index % 2 === 0 && name.toLowerCase() === REQUEST_ID);
  if (!hasId) headers.push(REQUEST_ID, requestId);
  if (isLast) headers.push('connection', 'close');
  return headers;
}

function endToEnd(raw: readonly string[], without?: string): string[] {
  const named = namedByConnection(raw);
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    const key = name.toLowerCase();
    const isOfConnection = OF_THE_CONNECTION.has(key) || (named.has(key) && !KEPT.has(key));
    if (!isOfConnection && key !== without) headers.push(name, value);
  }
  return headers;
}

function namedByConnection(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'connection') continue;
    for (const name of raw[at + 1]?.split(',') ?? []) names.add(name.trim().toLowerCase());
  }
  return names;
}
