import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** The reply to a call, complete or as far as it was read. */
export interface PlainReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Sizes of the received chunks. */
  readonly pieces: readonly number[];
  /** End of the reply. `broken`: the server closed the connection early. `disconnected`: this client did. */
  readonly end: 'ended' | 'broken' | 'disconnected';
}

export interface PlainCall {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Number of bytes after which the client disconnects. */
  readonly maxBytes?: number;
}

/** Sends one request and records the reply. Resolves with undefined if there is none. */
export async function sendPlain(call: PlainCall): Promise<PlainReply | undefined> {
  const incoming = await responseTo(call);
  if (!incoming) return undefined;
  const { statusCode: status = 0, headers } = incoming;
  return { status, headers, ...(await listen(incoming, call.maxBytes)) };
}

function listen(incoming: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY) {
  return new Promise<Pick<PlainReply, 'bytes' | 'pieces' | 'end'>>((resolve) => {
    const parts: Buffer[] = [];
    const pieces: number[] = [];
    const settle = (end: PlainReply['end']) =>
      resolve({ bytes: Buffer.concat(parts), pieces, end });
    let remaining = maxBytes;
    // The stream is not iterated, because that would join chunks.
    incoming.on('data', (part: Buffer) => {
      parts.push(part);
      pieces.push(part.length);
      remaining -= part.length;
      if (remaining > 0) return;
      settle('disconnected');
      incoming.destroy();
    });
    incoming.on('error', () => settle('broken'));
    incoming.on('end', () => settle(incoming.complete ? 'ended' : 'broken'));
  });
}

function responseTo({ url, method = 'POST', headers, body = '' }: PlainCall) {
  return new Promise<IncomingMessage | undefined>((resolve) => {
    const outgoing = request(url, { method, headers: headers ?? {}, agent: false }, resolve);
    outgoing.on('error', () => resolve(undefined));
    outgoing.end(body);
  });
}

/** Returns the data of each event of a complete stream (HTML standard, 9.2.6). */
export function eventData(bytes: Buffer): string[] {
  const text = bytes.toString().replace(/^\uFEFF/, '');
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line.startsWith('data:')))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.replace(/^data: ?/, '')).join('\n'));
}
