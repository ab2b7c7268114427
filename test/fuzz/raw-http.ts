import { ERRORS } from '../../lib/errors/codes.ts';
import { exchange, firstReply } from './exchange.ts';
import type { Fuzzer } from './fuzzer.ts';
import { startWatchedBridge } from './watched-bridge.ts';

const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[\w/.-]*)(?:\?\S*)? HTTP\/1\.1\r\n/;
const ERROR_STATUSES: ReadonlySet<number> = new Set(Object.values(ERRORS).map((row) => row.status));

/** Sends damaged requests to the started program. */
export const rawHttp: Fuzzer = {
  name: 'raw-http',
  tokens: [
    '\r\n',
    '\r\n\r\n',
    '\0',
    '\xff',
    ' ',
    '%zz',
    '%2e%2e/',
    '?limit=-1',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Expect: 100-continue\r\n',
    'Connection: close\r\n',
    'Authorization: Bearer x\r\n',
    'Idempotency-Key: a\r\n',
    'Range: bytes=0-\r\n',
    'Prefer: respond-async\r\n',
    '{"a":',
    '[',
    '"\\ud800"',
    '1e999',
    'null',
  ],
  async open() {
    const watched = await startWatchedBridge({
      set: ['server.read_timeout_ms=500', 'server.mcp.enabled=true', 'server.metrics.enabled=true'],
    });
    const { bridge, checker } = watched;

    return {
      async check(input) {
        const bytes = await exchange(bridge.port, input);
        await watched.expectSound();
        const [, method = '', path = ''] =
          REQUEST_LINE.exec(input.bytes.toString('latin1', 0, 2000)) ?? [];
        const reply = method === 'HEAD' ? undefined : firstReply(bytes);
        if (reply === undefined) return;
        const { status, headers, text } = reply;
        if (status >= 400) {
          const error: unknown = JSON.parse(text);
          checker.checkComponent('ErrorReply', error);
          if (!ERROR_STATUSES.has(status)) throw new Error(`replies ${status}`);
          if (text.includes('"code":"internal"')) throw new Error(`an internal failure: ${text}`);
        }
        // A reply to bytes that are not a request has no operation.
        if (path !== '' && ![400, 408, 431].includes(status)) {
          checker.check({ method, path }, status, headers, text);
        }
      },
      close: async () => void (await bridge.end('SIGKILL')),
    };
  },
};
