import type { HttpRequest, HttpResponse } from '../../../../lib/net/http-client.ts';

export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks?: readonly (Buffer | string)[];
  /** The end of the reply after its chunks: complete, a broken connection, or endless waiting. */
  readonly ending?: 'end' | 'hang' | Error;
}

export interface ScriptedHttp {
  /** All requests so far. */
  readonly requests: readonly (HttpRequest & { readonly url: string })[];
  /** True for each reply whose connection was closed before its end. */
  readonly closed: readonly boolean[];
  request(url: string, request: HttpRequest): Promise<HttpResponse>;
}

/**
 * Replaces the network with these replies, one for each request. A real server cannot be made to send them at the right
 * time.
 */
export function createScriptedHttp(replies: readonly (ScriptedReply | Error)[]): ScriptedHttp {
  const requests: (HttpRequest & { readonly url: string })[] = [];
  const closed: boolean[] = [];
  return {
    requests,
    closed,
    async request(url, request) {
      const nth = requests.push({ ...request, url }) - 1;
      const reply = replies[nth];
      if (reply === undefined) throw new Error(`request ${nth + 1} was not expected`);
      if (reply instanceof Error) throw reply;
      request.onSending?.();
      closed[nth] = false;
      return toResponse(reply, request.signal, () => {
        closed[nth] = true;
      });
    },
  };
}

function toResponse(
  { status = 200, headers = {}, chunks = [], ending = 'end' }: ScriptedReply,
  signal: AbortSignal,
  onClose: () => void,
): HttpResponse {
  let close = () => {};
  const broken = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    close = () => reject(new Error('the body was closed'));
  });
  broken.catch(() => undefined);

  async function* read(): AsyncGenerator<Buffer> {
    let isOver = false;
    try {
      for (const chunk of chunks) yield Buffer.from(chunk);
      if (ending === 'hang') await broken;
      if (ending instanceof Error) throw ending;
      isOver = true;
    } finally {
      if (!isOver) onClose();
    }
  }

  return {
    status,
    header: (name) => headers[name],
    body: {
      [Symbol.asyncIterator]: read,
      destroy() {
        onClose();
        close();
      },
    },
  };
}
