import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../lib/platform/clock.ts';
import {
  createMessageReader,
  createRpcConnection,
} from '../../lib/providers/agent-app-server/rpc-connection.ts';
import { slices } from '../support/slices.ts';
import { checkChunks, chunksOf, type Fuzzer, type Input } from './fuzzer.ts';
import { withinStretch } from './stretches.ts';

const MAX_MESSAGE_BYTES = 256 * 1024;
const TIMEOUT_MS = 60_000;

/** Reads the output of an agent: JSON-RPC, one message per line. */
export const jsonRpc: Fuzzer = {
  name: 'json-rpc',
  tokens: ['\n', '{', '}', '[', '"', '\\u', '"id":1', '"method":"x"', '"result":{}', '"error":1'],
  async open() {
    return {
      async check(input) {
        checkChunks(read, input);
        await connect(input);
      },
      async close() {},
    };
  },
};

/** Returns the messages and the fault as text. */
function read(input: Input): string {
  const found: unknown[] = [];
  const reader = createMessageReader(MAX_MESSAGE_BYTES, {
    onMessage: ({ value }) => found.push(value),
    onSkippedLine: () => found.push('skipped'),
  });
  let fault: string | undefined;
  for (const chunk of chunksOf(input)) {
    fault = withinStretch(() => reader.push(chunk));
    if (fault !== undefined) break;
  }
  return JSON.stringify({ found, fault });
}

/** Sends two requests to an agent that writes the input and ends. Both must be settled then. */
async function connect(input: Input): Promise<void> {
  const output = new PassThrough();
  const sent = new PassThrough();
  sent.resume();
  const connection = createRpcConnection({
    input: sent,
    output,
    clock: systemClock,
    slices,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    timeoutMs: TIMEOUT_MS,
    onNotification: () => undefined,
    onSkippedLine: () => undefined,
    handleRequest: () => Promise.resolve({}),
    onFault: () => undefined,
  });
  let settled = 0;
  const settle = () => {
    settled += 1;
  };
  for (const method of ['initialize', 'thread/start']) {
    connection.request(method, {}).then(settle, settle);
  }
  for (const chunk of chunksOf(input)) output.write(chunk);
  output.end();
  await connection.ended;
  await nextTurn();
  if (settled !== 2) throw new Error(`${2 - settled} requests wait for an agent that has ended`);
}
