import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { createReplyChecker, type ReplyChecker } from '../../support/reply-checker.ts';
import { type StartedBridge, stateOf } from '../../support/start-bridge.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Each test knows the shape of its reply. The checker compares the reply with the OpenAPI document.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly json: any;
  readonly bytes: Buffer;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export type JobClient = Awaited<ReturnType<typeof createJobClient>>;

/** Calls the job routes of a started bridge and checks every reply against the OpenAPI document. */
export async function createJobClient({ address }: Pick<StartedBridge, 'address'>, token?: string) {
  const authorization: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const document = await fetch(`${address}/v1/openapi.json`, { headers: authorization });
  const checker: ReplyChecker = createReplyChecker(JSON.parse(await document.text()));

  async function send(method: string, target: string, sent: Sent = {}): Promise<Reply> {
    const hasBody = sent.body !== undefined;
    // Checking the last reply may have taken longer than the bridge keeps an idle connection, because each schema is compiled when
    // it is first needed. Two turns of the event loop let the client see that its connection was closed, so that this request uses
    // a new one.
    await nextTurn();
    await nextTurn();
    const response = await fetch(address + target, {
      method,
      headers: {
        ...authorization,
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...sent.headers,
      },
      ...(hasBody ? { body: JSON.stringify(sent.body) } : {}),
    });
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = bytes.length > 0 && headers['content-type'] === 'application/json';
    const json = isJson ? JSON.parse(bytes.toString()) : undefined;
    const { pathname } = new URL(target, address);
    checker.check({ method, path: pathname }, status, headers, json ?? bytes);
    return { status, headers, json, bytes };
  }

  const get = (target: string) => send('GET', target);

  async function until(id: string, isSo: (job: Reply['json']) => boolean) {
    for (;;) {
      const { json } = await get(`/v1/jobs/${id}`);
      if (isSo(json)) return json;
      await delay(5);
    }
  }

  return {
    send,
    get,
    post: (body: object, headers: Record<string, string> = {}) =>
      send('POST', '/v1/jobs', { body, headers }),
    cancel: (id: string) => send('DELETE', `/v1/jobs/${id}`),
    patch: (id: string, body: object) => send('PATCH', `/v1/jobs/${id}`, { body }),
    /** Resolves with the job as soon as the predicate is true. */
    until,
    /** Resolves with the job after it has ended. */
    async ended(id: string) {
      for (;;) {
        const { json } = await get(`/v1/jobs/${id}?wait_ms=30000`);
        if (json.completed !== undefined) return json;
      }
    },
    /** Resolves with the job when it is running. */
    running: (id: string) => until(id, ({ status }) => status === 'running'),
  };
}

/** Lists the SHA-256 of the stored input images of a bridge's jobs. */
export async function storedInputs({ cwd }: Pick<StartedBridge, 'cwd'>): Promise<string[]> {
  const inputs = await stateOf(cwd).listInputs();
  return [...new Set(inputs.map(({ sha256 }) => sha256))];
}
