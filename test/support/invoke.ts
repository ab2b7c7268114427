import { createAccess } from '../../lib/http/access.ts';
import { createBodyBudget } from '../../lib/http/body/body-budget.ts';
import type { HttpContext, HttpEvent, HttpReply, HttpSettings } from '../../lib/http/http-event.ts';
import { replyBytes } from '../../lib/http/reply/reply-bytes.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
  /** Body. A Buffer is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

/** Settings that accept every client on loopback, like those of a bridge without a token. */
export function openHttpSettings(changes: Partial<HttpSettings> = {}): HttpSettings {
  return {
    clock: systemClock,
    ids: createIds(systemClock.nowMs),
    access: createAccess({ bearer: undefined, hosts: [] }),
    maxBodyBytes: 80 * 1024 * 1024,
    bodies: createBodyBudget(256 * 1024 * 1024),
    bodyIdleMs: 30_000,
    limits: {
      maxOutputs: 255,
      maxInputs: 16,
      maxTimeoutMs: 1_800_000,
      remoteInputs: false,
      providers: undefined,
    },
    publicBaseUrl: undefined,
    ...changes,
  };
}

export function toEvent({ method = 'GET', path = '/v1/test', ...sent }: Sent = {}): HttpEvent {
  const isRaw = Buffer.isBuffer(sent.body) || sent.body === undefined;
  const body = isRaw ? (sent.body as Buffer | undefined) : Buffer.from(JSON.stringify(sent.body));
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: sent.query ?? '',
    headers: {
      host: 'localhost:8787',
      ...(body
        ? { 'content-type': 'application/json', 'content-length': String(body.length) }
        : {}),
      ...sent.headers,
    },
    pathParameters: sent.pathParameters ?? {},
    requestContext: { http: { method, path } },
    body,
    isBase64Encoded: false,
  };
}

/** Calls one handler with the services that it names. Nothing else is started. */
export async function invoke<S>(
  handler: (event: HttpEvent, context: HttpContext<S>) => Promise<HttpReply>,
  sent: Sent,
  services: S,
  settings: HttpSettings = openHttpSettings(),
): Promise<{
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  json: unknown;
}> {
  const signal = new AbortController().signal;
  const reply = await handler(toEvent(sent), {
    services,
    settings,
    signal: () => signal,
    onReplied: () => {},
  });
  const bytes = await replyBytes(reply.body);
  const isJson = reply.headers['content-type'] === 'application/json';
  return {
    status: reply.statusCode,
    headers: reply.headers,
    bytes,
    json: isJson ? JSON.parse(bytes.toString('utf8')) : undefined,
  };
}
