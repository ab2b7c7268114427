import type { HttpRequest, HttpResponse } from '../../../../lib/net/http-client.ts';

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks?: readonly (Buffer | string)[];
  /** What comes after the chunks: the end, a broken connection, or nothing for ever. */
  readonly ending?: 'end' | 'hang' | Error;
}

export interface ScriptedHttp {
  /** Every request so far. */
  readonly requests: readonly (HttpRequest & { readonly url: string })[];
  /** Of each answer: whether its connection was closed before its end. */
  readonly closed: readonly boolean[];
  request(url: string, request: HttpRequest): Promise<HttpResponse>;
}

/** Stands for the network: gives these answers, one a request, in forms that a server could not be made to send on time. */
export function createScriptedHttp(answers: readonly (ScriptedAnswer | Error)[]): ScriptedHttp {
  const requests: (HttpRequest & { readonly url: string })[] = [];
  const closed: boolean[] = [];
  return {
    requests,
    closed,
    async request(url, request) {
      const nth = requests.push({ ...request, url }) - 1;
      const answer = answers[nth];
      if (answer === undefined) throw new Error(`nobody expected request ${nth + 1}`);
      if (answer instanceof Error) throw answer;
      request.onSending?.();
      closed[nth] = false;
      return toAnswer(answer, request.signal, () => {
        closed[nth] = true;
      });
    },
  };
}

function toAnswer(
  { status = 200, headers = {}, chunks = [], ending = 'end' }: ScriptedAnswer,
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
