import { createReplyReader, streamLimits } from '../../lib/providers/http/sse.ts';
import { checkChunks, chunksOf, type Fuzzer, type Input } from './fuzzer.ts';
import { withinStretch } from './stretches.ts';

const LIMITS = streamLimits(256 * 1024);

/** Reads the replies of upstreams: one JSON value, or a stream of events. */
export const sse: Fuzzer = {
  name: 'sse',
  tokens: ['\n', '\r', '\r\n\r\n', 'data:', ':', '\xef\xbb\xbf', '{', '[', '"', '\\', 'event: x\n'],
  async open() {
    return {
      async check(input) {
        checkChunks(read, input);
      },
      async close() {},
    };
  },
};

/** Returns the events and the fault as text. */
function read(input: Input): string {
  const values: unknown[] = [];
  const reader = createReplyReader(LIMITS, ({ value }) => values.push(value));
  let fault: string | undefined;
  for (const chunk of chunksOf(input)) {
    fault = withinStretch(() => reader.push(chunk));
    if (fault !== undefined) break;
  }
  fault ??= withinStretch(() => reader.end());
  return JSON.stringify({ values, fault });
}
